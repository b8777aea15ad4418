import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  readEventKey,
  takesEventKey,
  type EventKeys,
  type EventKeyType,
} from '../../../organizations/providers/event-key.js';
import { openEventKey } from '../../../organizations/providers/provider-secrets.js';
import { MONOTONIC_CLOCK, type Clock } from '../../../platform/clock/clock.js';
import { isUuid } from '../../../platform/clock/uuid-v7.js';
import { LookupCache } from '../../../platform/database/lookup-cache.js';
import { DecryptionError, SecretBox } from '../../../platform/encryption/secret-box.js';
import type { RawBody } from '../../../platform/http/request-check.js';
import { LOGGER, type Logger } from '../../../platform/logging/logger.js';
import { CallsByType } from '../calls-by-type.js';
import type { EventAccount, ReadEvents } from '../event-calls.js';
import { EventAccountRows, type EventAccountRow } from './event-account-rows.js';

/** The account of an organization's provider, and how to read its calls. */
export interface ReportingAccount extends EventAccount {
  readonly organizationId: string;
  readonly body: RawBody;
  admit(request: FastifyRequest, reply: FastifyReply): void;
  verify(request: FastifyRequest): Promise<ReadEvents>;
}

/** Shorter than the 5 seconds after which a change must have its effect everywhere. */
const CACHE_MS = 3_000;
const MAX_CACHED = 10_000;

/** Finds the accounts that report events to organizations. Caches them, and IDs of none, for a few seconds. */
@Injectable()
export class EventAccounts {
  private readonly cache: LookupCache<ReportingAccount | 'unreadable' | undefined>;

  constructor(
    private readonly rows: EventAccountRows,
    private readonly box: SecretBox,
    private readonly calls: CallsByType,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(MONOTONIC_CLOCK) clock: Clock,
  ) {
    this.cache = new LookupCache(clock, CACHE_MS, MAX_CACHED);
  }

  /**
   * @param providerId any text; one that is no UUID costs no query
   * @param isSuspect true for an ID that is probably a guess: its query is batched, which takes longer
   * @returns undefined if nothing verifies calls to this ID, and `unreadable` if what verifies them cannot be read
   */
  async find(providerId: string, isSuspect: boolean): Promise<ReportingAccount | 'unreadable' | undefined> {
    if (!isUuid(providerId)) return undefined;
    const id = providerId.toLowerCase();
    return this.cache.find(id, async () => {
      const row = await (isSuspect ? this.rows.findInBatch(id) : this.rows.find(id));
      return row && takesEventKey(row.type) ? this.open(row.type, row) : undefined;
    });
  }

  private open<Type extends EventKeyType>(type: Type, row: EventAccountRow): ReportingAccount | 'unreadable' {
    const keys = this.keysOf(type, row);
    if (!keys) return 'unreadable';
    const account = { type, keys, organizationId: row.organizationId };
    const calls = this.calls.of(type);
    return {
      ...account,
      body: calls.body,
      admit: (request, reply) => calls.admit(account, request, reply),
      verify: async (request) => calls.verify(account, request),
    };
  }

  private keysOf<Type extends EventKeyType>(type: Type, row: EventAccountRow): EventKeys[Type] | undefined {
    const { id: providerId, organizationId, sealedEventKey } = row;
    let err: unknown;
    try {
      const keys = readEventKey(type, openEventKey(this.box, providerId, sealedEventKey));
      if (keys) return keys;
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error;
      err = error;
    }
    this.logger.error({ providerId, organizationId, err }, 'The event key of a provider cannot be read');
    return undefined;
  }
}
