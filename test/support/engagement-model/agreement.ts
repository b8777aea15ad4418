import type { ShownFigures } from './shown-figures.js';

/** An email of the test. */
export interface CountedEmail {
  readonly id: string;
  readonly to: readonly string[];
  readonly campaign: string | null;
}

type Counted = Pick<ShownFigures['emails'][string], 'opens' | 'clicks' | 'people' | 'machines'>;

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

/** The figures of all levels agree with those of emails, and those of an email with each other. */
export function expectAgreement(shown: ShownFigures, emails: readonly CountedEmail[]): void {
  const figures = emails.map((email) => ({ ...email, ...shown.emails[email.id]! }));
  for (const email of figures) expectEmailAgrees(email);
  for (const [name, { stats, totals, links }] of Object.entries(shown.campaigns)) {
    const own = figures.filter(({ campaign }) => campaign === name);
    expect({ opens: stats.totalOpens, clicks: stats.totalClicks, ...engagementOf(stats) }).toEqual(sumOf(own));
    expect({ opens: totals.opens, clicks: totals.clicks }).toEqual({
      opens: stats.totalOpens,
      clicks: stats.totalClicks,
    });
    expect({ clicks: sum(links, ({ clicks }) => clicks), people: sum(links, ({ people }) => people) }).toEqual({
      ...{ clicks: stats.totalClicks, people: stats.people.clicks },
    });
  }
  for (const [address, contact] of Object.entries(shown.contacts)) {
    const own = sumOf(figures.filter(({ to }) => to.includes(address)));
    expect({ opens: contact.totalOpens, clicks: contact.totalClicks, people: contact.people }).toMatchObject({
      ...{ opens: own.opens, clicks: own.clicks, people: { opens: own.people.opens, clicks: own.people.clicks } },
    });
  }
  const hours = Object.values(shown.hours);
  const all = sumOf(figures);
  expect({
    ...{ opens: sum(hours, ({ opens }) => opens), clicks: sum(hours, ({ clicks }) => clicks) },
    people: {
      ...{ opens: sum(hours, ({ people }) => people.opens), clicks: sum(hours, ({ people }) => people.clicks) },
      uniqueOpens: sum(hours, ({ people }) => people.uniqueOpens),
      uniqueClicks: sum(hours, ({ people }) => people.uniqueClicks),
    },
  }).toEqual({ opens: all.opens, clicks: all.clicks, people: all.people });
}

function expectEmailAgrees(email: ShownFigures['emails'][string]): void {
  const { opens, clicks, people, machines, links, events } = email;
  expect({ opens, clicks }).toEqual({
    ...{ opens: people.opens + machines.opens, clicks: people.clicks + machines.clicks },
  });
  expect(sum(Object.values(machines.byClass), Number)).toBe(machines.opens + machines.clicks);
  expect({ clicks: sum(links, (link) => link.clicks), people: sum(links, (link) => link.people) }).toEqual({
    ...{ clicks, people: people.clicks },
  });
  expect(events.length).toBeLessThanOrEqual(opens + clicks);
}

function sumOf(emails: readonly Counted[]) {
  const byClass = (name: keyof Counted['machines']['byClass']) => sum(emails, ({ machines }) => machines.byClass[name]);
  return {
    ...{ opens: sum(emails, ({ opens }) => opens), clicks: sum(emails, ({ clicks }) => clicks) },
    people: {
      ...{ opens: sum(emails, ({ people }) => people.opens), clicks: sum(emails, ({ people }) => people.clicks) },
      uniqueOpens: sum(emails, ({ people }) => people.uniqueOpens),
      uniqueClicks: sum(emails, ({ people }) => people.uniqueClicks),
    },
    machines: {
      ...{
        opens: sum(emails, ({ machines }) => machines.opens),
        clicks: sum(emails, ({ machines }) => machines.clicks),
      },
      byClass: {
        ...{ prefetch: byClass('prefetch'), preview: byClass('preview') },
        ...{ scanner: byClass('scanner'), bot: byClass('bot') },
      },
    },
  };
}

/** Without the rates. */
function engagementOf({ people, machines }: Pick<Counted, 'people' | 'machines'>) {
  const { opens, clicks, uniqueOpens, uniqueClicks } = people;
  return { people: { opens, clicks, uniqueOpens, uniqueClicks }, machines };
}
