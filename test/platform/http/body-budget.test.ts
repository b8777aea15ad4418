import fc from 'fast-check';
import { BodyBudget, BodyShareExceededError, TooManyBodyBytesError } from '../../../src/platform/http/body-budget.js';

describe('the budget of request bodies', () => {
  it('gives one organization half of it, and the others the rest', () => {
    const budget = new BodyBudget(100, 10);
    const [a, b] = [budget.open('a'), budget.open('a')];
    a.grow(30);
    expect(() => b.grow(21)).toThrow(BodyShareExceededError);
    b.grow(20);
    const others = budget.open('b');
    others.grow(40);
    expect(() => budget.open('c').grow(11)).toThrow(TooManyBodyBytesError);
    expect(budget.held).toBe(90);
    a.release();
    budget.open('c').grow(40);
  });

  it('gives all clients without a key half of it together, and each network address half of that', () => {
    const budget = new BodyBudget(100, 10);
    budget.openWithoutKey('192.0.2.1').grow(25);
    expect(() => budget.openWithoutKey('192.0.2.1').grow(1)).toThrow(BodyShareExceededError);
    const other = budget.openWithoutKey('192.0.2.2');
    other.grow(25);
    expect(() => budget.openWithoutKey('192.0.2.3').grow(1)).toThrow(BodyShareExceededError);
    budget.open('a').grow(50);
    other.release();
    expect(budget.held).toBe(75);
    budget.openWithoutKey('192.0.2.3').grow(25);
  });

  it('refuses others after a body that has to be held in any case', () => {
    const budget = new BodyBudget(100, 10);
    budget.open('a').hold(70);
    expect(() => budget.open('a').grow(1)).toThrow(BodyShareExceededError);
    expect(() => budget.open('b').grow(31)).toThrow(TooManyBodyBytesError);
    budget.open('b').grow(30);
  });

  it('always has room for one body', () => {
    new BodyBudget(10, 50).open('a').grow(50);
  });

  it('holds the sum of its reservations, regardless of how they end', () => {
    const step = fc.record({
      of: fc.nat(5),
      owner: fc.constantFrom('a', 'b', 'c'),
      bytes: fc.nat(40),
      releases: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = new BodyBudget(100, 10);
        const open = new Map<number, { reservation: ReturnType<BodyBudget['open']>; owner: string; bytes: number }>();
        for (const { of, owner, bytes, releases } of steps) {
          const known = open.get(of) ?? { reservation: budget.open(owner), owner, bytes: 0 };
          open.set(of, known);
          if (releases) {
            known.reservation.release();
            known.reservation.release();
            open.delete(of);
            continue;
          }
          try {
            known.reservation.grow(bytes);
            known.bytes += bytes;
          } catch (error) {
            expect([BodyShareExceededError, TooManyBodyBytesError]).toContain((error as Error).constructor);
          }
          const held = [...open.values()];
          expect(budget.held).toBe(held.reduce((sum, one) => sum + one.bytes, 0));
          expect(budget.held).toBeLessThanOrEqual(100);
          for (const name of ['a', 'b', 'c']) {
            const share = held.filter((one) => one.owner === name).reduce((sum, one) => sum + one.bytes, 0);
            expect(share).toBeLessThanOrEqual(50);
          }
        }
      }),
    );
  });
});
