import { Inject, Injectable } from '@nestjs/common';
import type { CampaignLimits } from '../platform/config/plan-limits.js';
import { SETTINGS, type Settings } from '../platform/config/settings.js';

/** The plans an organization can have, and how many active campaigns each allows. */
@Injectable()
export class Plans {
  private readonly limits: CampaignLimits;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.limits = settings.PLANS;
  }

  get names(): string[] {
    return [...this.limits.keys()];
  }

  has(plan: string): boolean {
    return this.limits.has(plan);
  }

  /** Undefined means no limit. A plan that the setting no longer contains allows no new campaigns. */
  activeCampaignLimit(plan: string): number | undefined {
    return this.limits.has(plan) ? this.limits.get(plan) : 0;
  }
}
