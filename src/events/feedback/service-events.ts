import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventKeyType } from '../../organizations/providers/event-key.js';
import { CallsByType } from './calls-by-type.js';
import { ProviderEvents, type ProviderEventCounts } from './provider-events.js';
import { ServiceEventAccounts } from './service-event-accounts.js';

/** Receives the calls of the service's own accounts with providers. */
@Injectable()
export class ServiceEvents {
  constructor(
    private readonly accounts: ServiceEventAccounts,
    private readonly calls: CallsByType,
    private readonly events: ProviderEvents,
  ) {}

  /** Refuses a call by its headers. @throws DomainError, EventsNotSetUpError without an account of the type */
  admit<Type extends EventKeyType>(type: Type, request: FastifyRequest, reply: FastifyReply): void {
    this.calls.of(type).admit(this.accounts.of(type), request, reply);
  }

  /** Resolves when every event of a call that was admitted is durable. @throws DomainError */
  async receive<Type extends EventKeyType>(type: Type, request: FastifyRequest): Promise<ProviderEventCounts> {
    const account = this.accounts.of(type);
    const read = await this.calls.of(type).verify(account, request);
    return this.events.store(account, await read());
  }
}
