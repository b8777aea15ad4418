import { jest } from '@jest/globals';
import { pino } from 'pino';
import type { BudgetLine } from '../../../src/organizations/budgets/budget.js';
import { BudgetLedger } from '../../../src/organizations/budgets/budget-ledger.js';
import type { BudgetShares, GrantedShare } from '../../../src/organizations/budgets/budget-shares.js';
import type { BudgetWarnings } from '../../../src/organizations/budgets/budget-warnings.js';
import type { Database } from '../../../src/platform/database/database.js';
import { hold } from '../../support/hold.js';

const LINE: BudgetLine = { organizationId: 'o1', budget: 'emailsPerDay', period: 0, limit: 100 };

/** A ledger whose requests get these responses in turn. It records returned shares, unless returning fails. */
function ledgerWith(granted: GrantedShare[]) {
  const requested: number[] = [];
  const returned: number[] = [];
  const state = { isAway: false, whileAsking: () => {}, returning: Promise.resolve() };
  const shares = {
    take: (_line: BudgetLine, needed: number) => {
      requested.push(needed);
      state.whileAsking();
      if (state.isAway) return Promise.reject(new Error('Postgres is down'));
      return Promise.resolve(granted.shift());
    },
    giveBack: async (units: ReadonlyMap<BudgetLine, number>) => {
      if (state.isAway) throw new Error('Postgres is down');
      await state.returning;
      returned.push(...units.values());
    },
  };
  const ledger = new BudgetLedger(
    shares as unknown as BudgetShares,
    {} as BudgetWarnings,
    {} as Database,
    pino({ level: 'silent' }),
  );
  return { ledger, requested, returned, state };
}

afterEach(() => jest.restoreAllMocks());

describe('the share of a process', () => {
  it('is returned later as a whole if Postgres does not accept it now', async () => {
    const { ledger, returned, state } = ledgerWith([{ share: 10, left: 90, warned: false }]);
    expect(await ledger.take(LINE, 3)).toBe(true);
    state.isAway = true;
    await ledger.giveBack(0);
    state.isAway = false;
    await ledger.giveBack(0);
    expect(returned).toEqual([7]);
    await ledger.giveBack(0);
    expect(returned).toEqual([7]);
  });

  it('is returned before a second call ends, which finds nothing left to return; not one for other organizations', async () => {
    const { ledger, returned, state } = ledgerWith([{ share: 10, left: 90, warned: false }]);
    expect(await ledger.take(LINE, 3)).toBe(true);
    const { held, release } = hold();
    state.returning = held;
    const first = ledger.giveBack(0);
    await ledger.giveBack(0, 'o2');
    const second = ledger.giveBack(0, LINE.organizationId).then(() => [...returned]);
    setImmediate(release);
    expect(await second).toEqual([7]);
    await first;
    expect(returned).toEqual([7]);
  });

  it('is charged for the excess if it was overdrawn', async () => {
    const { ledger, returned } = ledgerWith([{ share: 10, left: 90, warned: false }]);
    expect(await ledger.take(LINE, 10)).toBe(true);
    ledger.charge(LINE, 4);
    await ledger.giveBack(0);
    expect(returned).toEqual([-4]);
  });

  it('returns what it was overdrawn by at once, but units that are left only after a pause', async () => {
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const { ledger, returned } = ledgerWith([{ share: 10, left: 90, warned: false }]);
    expect(await ledger.take(LINE, 4)).toBe(true);
    await ledger.giveBack(2_000);
    ledger.charge(LINE, 7);
    await ledger.giveBack(2_000);
    expect(returned).toEqual([-1]);
    ledger.charge(LINE, -2);
    now = 1_999;
    await ledger.giveBack(2_000);
    expect(returned).toEqual([-1]);
    now = 2_000;
    await ledger.giveBack(2_000);
    expect(returned).toEqual([-1, 2]);
  });

  it('is not requested again right after a refusal, unless units were returned', async () => {
    const none: GrantedShare = { share: 0, left: 0, warned: true };
    jest.spyOn(performance, 'now').mockReturnValue(0);
    const { ledger, requested } = ledgerWith([none, { share: 2, left: 0, warned: true }]);
    expect(await ledger.take(LINE, 3)).toBe(false);
    expect(await ledger.take(LINE, 3)).toBe(false);
    expect(requested).toEqual([3]);
    ledger.charge(LINE, -1);
    expect(await ledger.take(LINE, 3)).toBe(true);
    expect(requested).toEqual([3, 2]);
  });

  it('is requested again right after a refusal for what is left, together with what the process still has', async () => {
    jest.spyOn(performance, 'now').mockReturnValue(0);
    const some: GrantedShare = { share: 3, left: 10, warned: true };
    const less: GrantedShare = { share: 0, left: 4, warned: true };
    const { ledger, requested } = ledgerWith([some, less, { share: 4, left: 0, warned: true }]);
    expect([await ledger.take(LINE, 1), await ledger.take(LINE, 8)]).toEqual([true, false]);
    expect(await ledger.take(LINE, 7)).toBe(false);
    expect(await ledger.take(LINE, 6)).toBe(true);
    expect(requested).toEqual([1, 6, 4]);
  });

  it('is refused after one request, however long Postgres took for it', async () => {
    const none: GrantedShare = { share: 0, left: 0, warned: true };
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const { ledger, requested, state } = ledgerWith([none]);
    state.whileAsking = () => (now += 1_200);
    expect(await ledger.take(LINE, 3)).toBe(false);
    expect(requested).toEqual([3]);
  });

  it('is not requested again by those who waited for a request that failed', async () => {
    const { ledger, requested, state } = ledgerWith([]);
    state.isAway = true;
    const takes = await Promise.allSettled([1, 2, 3].map((units) => ledger.take(LINE, units)));
    expect(takes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(requested).toEqual([1]);
  });
});
