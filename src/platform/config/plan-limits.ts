import type { Variable } from './setting-types.js';

/** A limit for each plan, or one limit for all plans. */
export class PlanLimits {
  /** @param forAll applies to plans without an own limit; undefined means none */
  constructor(
    private readonly byPlan: ReadonlyMap<string, number | undefined>,
    private readonly forAll: number | undefined,
  ) {}

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

export function planLimits(about: { description: string; default: string }): Variable<PlanLimits> {
  return {
    description: about.description,
    example: about.default,
    fallback: { value: readPlanLimits(about.default)!, text: about.default },
    expectation: 'a whole number, or a list of plan=limit',
    read: readPlanLimits,
  };
}

/** @returns undefined for a text that is neither a whole number nor a list of plan=limit */
function readPlanLimits(text: string): PlanLimits | undefined {
  const forAll = readLimit(text);
  if (forAll !== 'invalid') return new PlanLimits(new Map(), forAll);
  const byPlan = new Map<string, number | undefined>();
  for (const entry of text.split(',')) {
    const [, plan, value] = /^\s*([a-z][a-z0-9_-]*)=(\d*)\s*$/.exec(entry) ?? [];
    const limit = value === '' ? undefined : readLimit(value ?? '');
    if (plan === undefined || limit === 'invalid' || byPlan.has(plan)) return undefined;
    byPlan.set(plan, limit);
  }
  return new PlanLimits(byPlan, undefined);
}

function readLimit(text: string): number | undefined | 'invalid' {
  const limit = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(limit)) return 'invalid';
  return limit === 0 ? undefined : limit;
}
