import { Injectable } from '@nestjs/common';
import type { DeliveryProviders } from '../delivery-providers.js';
import { OwnDeliveryProviders, type EmailOwner, type ProviderOwner } from './own-delivery-providers.js';
import { OrganizationSlots } from './organization-slots.js';

/** Runs jobs whose emails go through an organization's own providers. */
@Injectable()
export class OrganizationJobs {
  constructor(
    private readonly providers: OwnDeliveryProviders,
    private readonly slots: OrganizationSlots,
  ) {}

  /** The owners of the providers that send these emails, in their order. */
  ownersOf(emailIds: readonly string[]): Promise<readonly EmailOwner[]> {
    return this.providers.ownersOf(emailIds);
  }

  /** True once a stopping worker must leave the rest of its jobs to others. */
  get isStopping(): boolean {
    return this.slots.isStopping;
  }

  /**
   * Runs a job in a slot of its organization.
   * @returns milliseconds until the job may run, if it cannot run now
   */
  async run<Result>(
    owner: ProviderOwner,
    run: (providers: DeliveryProviders) => Promise<Result>,
  ): Promise<Result | number> {
    const free = this.slots.tryTake(owner.organizationId);
    if (!free) return this.slots.delayMs(owner.organizationId);
    try {
      const held = await this.providers.hold(owner);
      if (typeof held === 'number') return held;
      return await run(held).finally(() => this.providers.release(held));
    } finally {
      free();
    }
  }
}
