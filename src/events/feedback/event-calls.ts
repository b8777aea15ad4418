import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventKeys, EventKeyType } from '../../organizations/providers/event-key.js';
import type { RawBody } from '../../platform/http/request-check.js';
import type { ParsedProviderEvent } from './provider-event-fields.js';

/** An account with a provider that reports events. */
export interface EventAccount<Type extends EventKeyType = EventKeyType> {
  readonly type: Type;
  /** What verifies its calls. */
  readonly keys: EventKeys[Type];
  /** The organization whose account it is; undefined for the service's own. */
  readonly organizationId?: string;
}

/**
 * Reads the events of a verified call. Separate, because reading costs most: a limit must refuse a call before, and
 * only verified calls may count against it.
 * @throws DomainError
 */
export type ReadEvents = () => readonly ParsedProviderEvent[] | Promise<readonly ParsedProviderEvent[]>;

/** Verifies and reads the calls of one type of provider. */
export interface EventCalls<Type extends EventKeyType> {
  /** What their bodies are. */
  readonly body: RawBody;

  /** Refuses a call by its headers, before its body is read. @throws DomainError */
  admit(account: EventAccount<Type>, request: FastifyRequest, reply: FastifyReply): void;

  /** Verifies a call that was admitted. @throws DomainError */
  verify(account: EventAccount<Type>, request: FastifyRequest): ReadEvents | Promise<ReadEvents>;
}
