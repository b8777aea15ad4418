import fc from 'fast-check';
import { PROVIDERS, REPORTED_MEANINGS, type ProviderName, type ReportedMeaning } from './reports.js';
import { AGENTS, type AgentName } from './verdicts.js';

/** Both organizations write to these people. */
export const PEOPLE = ['ada', 'bob', 'eve'].map((name) => `${name}@example.com`);
export const CAMPAIGNS = ['Spring', 'Autumn', null] as const;
/** The destinations of the links of an email; some have one twice. */
const LINKS = [[], ['a'], ['a', 'b', 'c'], ['b', 'a', 'a', 'd']] as const;

/** One thing that happens. Numbers that name an email or recipient count modulo how many there are. */
export type Step =
  | {
      readonly do: 'email';
      readonly organization: number;
      readonly to: readonly string[];
      readonly copy: string | null;
      readonly isSent: boolean;
      readonly campaign: (typeof CAMPAIGNS)[number];
      readonly links: readonly string[];
    }
  | {
      readonly do: 'hit';
      readonly email: number;
      readonly link: number;
      readonly agent: AgentName;
      readonly at: number;
    }
  | {
      readonly do: 'sweep';
      readonly email: number;
      readonly at: number;
      readonly gap: number;
      readonly isReversed: boolean;
    }
  | {
      readonly do: 'report';
      readonly email: number;
      /** One more than there are recipients stands for somebody else. */
      readonly recipient: number;
      readonly provider: ProviderName;
      readonly meaning: ReportedMeaning;
      readonly at: number;
      readonly times: number;
    }
  | { readonly do: 'page'; readonly email: number; readonly form: string | null; readonly at: number }
  | { readonly do: 'suppress' | 'unsuppress' | 'erase'; readonly organization: number; readonly address: string }
  | {
      readonly do: 'flush';
      /** Shuffles the entries. */
      readonly order: number;
      readonly share: number;
      readonly events: number;
      readonly isRepeated: boolean;
    }
  | { readonly do: 'bury'; readonly share: number }
  | { readonly do: 'redrive' | 'settle' | 'age' };

export const FORMS = {
  oneClick: 'List-Unsubscribe=One-Click',
  button: 'from=page&choice=unsubscribe',
  undo: 'from=page&choice=resubscribe',
  robot: 'from=page',
};

const ORDERED = ['unsubscribed', 'resubscribed', 'soft', 'soft', 'delivered'] as const;

const organization = fc.nat(1);
const email = fc.nat(20);
const address = fc.constantFrom(...PEOPLE);
/**
 * Steps of 0.7 s, so that no two hits are exactly a window apart. Negative ones are before the hand-over, the last an
 * hour after it.
 */
const at = fc.oneof(
  fc.integer({ min: -5, max: 20 }),
  fc.integer({ min: -120, max: 120 }),
  fc.integer({ min: 5_120, max: 5_160 }),
);

/** Half of them are those whose order matters. */
const meaning = fc.constantFrom(...REPORTED_MEANINGS, ...ORDERED, ...ORDERED);

function record<Name extends Step['do']>(name: Name, fields: object): fc.Arbitrary<Step> {
  return fc.record({ do: fc.constant(name), ...fields }, { noNullPrototype: true }) as fc.Arbitrary<Step>;
}

const accepted = record('email', {
  ...{ organization, to: fc.uniqueArray(address, { minLength: 1, maxLength: 2 }), isSent: fc.boolean() },
  ...{ copy: fc.option(address, { freq: 3 }), campaign: fc.constantFrom(...CAMPAIGNS) },
  links: fc.constantFrom(...LINKS),
});

const any = fc.oneof(
  { weight: 3, arbitrary: accepted },
  {
    weight: 14,
    arbitrary: record('hit', { email, link: fc.nat(4), agent: fc.constantFrom(...Object.keys(AGENTS)), at }),
  },
  { weight: 6, arbitrary: record('sweep', { email, at, gap: fc.nat(5), isReversed: fc.boolean() }) },
  {
    weight: 12,
    arbitrary: record('report', {
      ...{ email, recipient: fc.nat(3), provider: fc.constantFrom(...Object.keys(PROVIDERS)) },
      ...{ meaning, at: fc.nat(60), times: fc.integer({ min: 1, max: 2 }) },
    }),
  },
  { weight: 8, arbitrary: record('page', { email, form: fc.constantFrom(null, ...Object.values(FORMS)), at }) },
  { weight: 1, arbitrary: record('suppress', { organization, address }) },
  { weight: 2, arbitrary: record('unsuppress', { organization, address }) },
  { weight: 1, arbitrary: record('erase', { organization, address }) },
  {
    weight: 5,
    arbitrary: record('flush', {
      ...{ order: fc.nat(), share: fc.constantFrom(0.2, 0.5, 1), events: fc.constantFrom(1, 3, 1000) },
      isRepeated: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: record('bury', { share: fc.constantFrom(0.2, 0.5, 1) }) },
  { weight: 1, arbitrary: record('redrive', {}) },
  { weight: 1, arbitrary: record('age', {}) },
  { weight: 1, arbitrary: record('settle', {}) },
);

/** Emails to begin with, and what happens then. */
export const steps: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.array(accepted, { minLength: 2, maxLength: 4 }),
    fc.array(any, { minLength: 30, maxLength: 90, size: 'max' }),
  )
  .map(([emails, others]) => [...emails, ...others]);
