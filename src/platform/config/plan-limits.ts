import type { Variable } from './setting-types.js';

/** A limit for each plan, or one limit for all plans. */
export class PlanLimits {
  /** @param forAll applies to plans without an own limit; undefined means none */
  constructor(
    private readonly byPlan: ReadonlyMap<string, number | undefined>,
    private readonly forAll: number | undefined,
  ) {}

  /** The plans with an entry of their own. */
  get plans(): readonly string[] {
    return [...this.byPlan.keys()];
  }

  /** Undefined if no plan has a limit. */
  get smallest(): number | undefined {
    const limits = [...this.byPlan.values(), this.forAll].filter((limit) => limit !== undefined);
    return limits.length === 0 ? undefined : Math.min(...limits);
  }

  /** Undefined means no limit. */
  of(plan: string): number | undefined {
    return this.byPlan.has(plan) ? this.byPlan.get(plan) : this.forAll;
  }
}

/** Active campaigns allowed per plan; undefined means no limit. */
export type CampaignLimits = ReadonlyMap<string, number | undefined>;

interface WithDefault {
  readonly description: string;
  readonly default: string;
}

export function planLimits(about: WithDefault): Variable<PlanLimits> {
  return listOfPlans(about, 'a whole number, or a list of plan=limit', readPlanLimits);
}

export function campaignLimits(about: WithDefault): Variable<CampaignLimits> {
  return listOfPlans(about, 'a list of name=limit with each name once', readCampaignLimits);
}

function listOfPlans<Value>(
  { description, default: text }: WithDefault,
  expectation: string,
  read: (text: string) => Value | undefined,
): Variable<Value> {
  return { description, example: text, fallback: { value: read(text)!, text }, expectation, read };
}

/** @returns undefined for a text that is neither a whole number nor a list of plan=limit */
function readPlanLimits(text: string): PlanLimits | undefined {
  const forAll = readLimit(text);
  if (forAll !== 'invalid') return new PlanLimits(new Map(), forAll);
  const byPlan = readByPlan(text, readLimit);
  return byPlan && new PlanLimits(byPlan, undefined);
}

/** @returns undefined for a text that is no list of name=limit */
function readCampaignLimits(text: string): CampaignLimits | undefined {
  return readByPlan(text, readNumber);
}

type ReadLimit = (text: string) => number | undefined | 'invalid';

/** An empty limit is none. */
function readByPlan(text: string, read: ReadLimit): Map<string, number | undefined> | undefined {
  const byPlan = new Map<string, number | undefined>();
  for (const entry of text.split(',')) {
    const [, plan, value = ''] = /^\s*([a-z][a-z0-9_-]*)=(\d*)\s*$/.exec(entry) ?? [];
    const limit = value === '' ? undefined : read(value);
    if (plan === undefined || limit === 'invalid' || byPlan.has(plan)) return undefined;
    byPlan.set(plan, limit);
  }
  return byPlan;
}

/** Of a budget, 0 is no limit. */
function readLimit(text: string): number | undefined | 'invalid' {
  const limit = readNumber(text);
  return limit === 0 ? undefined : limit;
}

function readNumber(text: string): number | 'invalid' {
  const number = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(number) ? number : 'invalid';
}
