import { eventStoreMatchesPostgres, type StoreContents, type ComparedEvent } from './event-store-invariant.js';

const OPEN: ComparedEvent = { id: 'open', content: 'email-1 opened 0 -1' };
const CLICK: ComparedEvent = { id: 'click', content: 'email-1 clicked 3 2' };
const postgres = [OPEN, CLICK];
const complete: StoreContents = { events: [CLICK, OPEN], rows: 2 };
const violations = (store: StoreContents, kept = postgres): string[] => [...eventStoreMatchesPostgres(kept, store)];

describe('L8, the invariant of the event store,', () => {
  it('holds for the same events in any order', () => {
    expect(violations(complete)).toEqual([]);
  });

  it.each<[what: string, store: StoreContents]>([
    ['a missing event', { events: [OPEN], rows: 1 }],
    ['an empty store', { events: [], rows: 0 }],
    ['an event that Postgres never had', { events: [...complete.events, { ...OPEN, id: 'other' }], rows: 3 }],
    ['an event with another verdict', { events: [{ ...CLICK, content: 'email-1 clicked 0 2' }, OPEN], rows: 2 }],
    ['an event of another email', { events: [CLICK, { ...OPEN, content: 'email-2 opened 0 -1' }], rows: 2 }],
    ['an event that the store returns twice', { events: [...complete.events, OPEN], rows: 2 }],
    ['rows that no merge removes', { ...complete, rows: 3 }],
  ])('finds %s', (_, store) => {
    expect(violations(store)).not.toEqual([]);
  });

  it('counts the events that it does not list', () => {
    const many = Array.from({ length: 9 }, (_, index) => ({ id: `open-${index}`, content: 'opened' }));
    const changed = many.map(({ id }) => ({ id, content: 'clicked' }));
    expect(violations({ events: [], rows: 0 }, many)).toEqual([
      'L8: the store lacks 9 of 9 events: open-0, open-1, open-2, …',
    ]);
    expect(violations({ events: changed, rows: 9 }, many)).toContain('L8: the store has 9 events as something else');
  });
});
