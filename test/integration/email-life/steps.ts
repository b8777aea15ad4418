import fc from 'fast-check';
import { REFUSED_SENDER, type Behavior, type Fact } from './email-model.js';

/** A recipient as a request names it. */
export interface NamedAddress {
  /** In lower case. */
  readonly address: string;
  readonly written: string;
}

export interface Message {
  readonly from: string;
  readonly to: readonly NamedAddress[];
  readonly cc: readonly NamedAddress[];
  readonly bcc: readonly NamedAddress[];
  readonly campaign?: string | undefined;
  readonly tags: readonly string[];
  readonly unsubscribe: boolean;
  /** Days until it is sent; undefined for at once. */
  readonly inDays?: number | undefined;
}

/** One thing that happens. `by` is an organization, `email` any number: the remainder chooses one of its emails. */
export type Step =
  | {
      readonly do: 'send';
      readonly by: number;
      readonly message: Message;
      readonly key: boolean;
      readonly waits: boolean;
    }
  | { readonly do: 'repeat'; readonly by: number; readonly request: number; readonly changed: boolean }
  | { readonly do: 'batch'; readonly by: number; readonly messages: readonly Message[]; readonly key: boolean }
  | { readonly do: 'reschedule'; readonly by: number; readonly email: number; readonly inDays: number }
  | { readonly do: 'cancel' | 'retry' | 'unsubscribe' | 'subscribe'; readonly by: number; readonly email: number }
  | {
      readonly do: 'report';
      readonly by: number;
      readonly email: number;
      readonly recipient: number;
      readonly fact: Fact;
    }
  | { readonly do: 'settle'; readonly by: number; readonly email: number; readonly as: 'sent' | 'resend' | 'failed' }
  | { readonly do: 'suppress' | 'unsuppress' | 'erase'; readonly by: number; readonly address: string }
  | { readonly do: 'archive'; readonly by: number; readonly campaign: string }
  | { readonly do: 'suspend'; readonly by: number; readonly cancels: boolean }
  | { readonly do: 'resume' | 'scheduled time comes'; readonly by: number }
  | { readonly do: 'server changes'; readonly address: string; readonly behavior: Behavior };

/** Its server may leave an outcome unknown, so it gets emails of its own. */
export const DOUBTFUL = 'doubt@reader.example';
/**
 * It does not exist. One email at a time goes there: which of several finds that out first, and which ones are then
 * suppressed, is not decided.
 */
export const GHOST = 'ghost@reader.example';
export const ADDRESSES = ['ann', 'ben', 'cleo', 'dan', 'eve'].map((name) => `${name}@reader.example`);
export const CAMPAIGNS = ['Spring', 'Summer'];
export const TAGS = ['news', 'test'];
export const SENDERS = ['ada@acme.example', 'bob@acme.example', REFUSED_SENDER];

const named = (addresses: readonly string[]): fc.Arbitrary<NamedAddress> =>
  fc.tuple(fc.constantFrom(...addresses), fc.nat(2)).map(([address, form]) => ({
    address,
    written: [address, `"Doe, J." <${address}>`, address.replace(/^[a-z]+/, (name) => name.toUpperCase())][form]!,
  }));

const from = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('ada@acme.example', 'Bob <bob@acme.example>') },
  { weight: 1, arbitrary: fc.constant(REFUSED_SENDER) },
);
const labels = {
  campaign: fc.option(fc.constantFrom(...CAMPAIGNS), { nil: undefined }),
  tags: fc.subarray(TAGS),
  inDays: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined, freq: 2 }),
};
const several = fc.record<Message>({
  ...{ from, ...labels, unsubscribe: fc.constant(false) },
  to: fc.array(named(ADDRESSES), { minLength: 1, maxLength: 3 }),
  cc: fc.array(named(ADDRESSES), { maxLength: 2 }),
  bcc: fc.array(named(ADDRESSES), { maxLength: 1 }),
});
const single = fc.record<Message>({
  ...{ from, ...labels, unsubscribe: fc.boolean(), cc: fc.constant([]), bcc: fc.constant([]) },
  to: fc.array(named([...ADDRESSES, DOUBTFUL, DOUBTFUL]), { minLength: 1, maxLength: 1 }),
});
const message = fc.oneof(several, single, single);
const toGhost = fc
  .tuple(several, named([GHOST]))
  .map(([message, ghost]) => ({ ...message, inDays: undefined, cc: [ghost] }));
const alone = fc
  .tuple(single, named([GHOST]))
  .map(([message, ghost]) => ({ ...message, inDays: undefined, to: [ghost] }));
const atOnce = fc.oneof(
  { weight: 6, arbitrary: message },
  { weight: 1, arbitrary: toGhost },
  { weight: 1, arbitrary: alone },
);

const by = fc.nat(1);
const email = fc.noBias(fc.nat(1_000));
const address = fc.constantFrom(...ADDRESSES, DOUBTFUL, GHOST);
const is = <Name extends string>(name: Name) => fc.constant(name);
const behavior = fc.constantFrom<Behavior>('accepts', 'defers', 'refuses');
const doubtful = fc.constantFrom<Behavior>('drops-and-keeps', 'drops-and-loses');
const fact = fc.constantFrom<Fact>('deferred', 'delivered', 'soft-bounced', 'hard-bounced', 'complained', 'dropped');

/** Each with its weight. */
const STEPS: readonly (readonly [number, fc.Arbitrary<Step>])[] = [
  [10, fc.record({ do: is('send'), by, message: atOnce, key: fc.boolean(), waits: fc.boolean() })],
  [2, fc.record({ do: is('repeat'), by, request: fc.nat(100), changed: fc.boolean() })],
  [
    3,
    fc.record({ do: is('batch'), by, messages: fc.array(message, { minLength: 1, maxLength: 3 }), key: fc.boolean() }),
  ],
  [2, fc.record({ do: is('reschedule'), by, email, inDays: fc.integer({ min: 0, max: 3 }) })],
  [5, fc.record({ do: fc.constantFrom('cancel', 'unsubscribe', 'unsubscribe', 'subscribe'), by, email })],
  [4, fc.record({ do: is('retry'), by, email })],
  [8, fc.record({ do: is('report'), by, email, recipient: fc.nat(5), fact })],
  [3, fc.record({ do: is('settle'), by, email, as: fc.constantFrom('sent', 'resend', 'failed') })],
  [3, fc.record({ do: fc.constantFrom('suppress', 'unsuppress'), by, address })],
  [2, fc.record({ do: is('erase'), by, address })],
  [1, fc.record({ do: is('archive'), by, campaign: fc.constantFrom(...CAMPAIGNS) })],
  [1, fc.record({ do: is('suspend'), by, cancels: fc.boolean() })],
  [2, fc.record({ do: fc.constantFrom('resume', 'scheduled time comes'), by })],
  [6, fc.record({ do: is('server changes'), address: fc.constantFrom(...ADDRESSES), behavior })],
  [2, fc.record({ do: is('server changes'), address: is(DOUBTFUL), behavior: fc.oneof(behavior, doubtful) })],
];

export const step = fc.oneof(...STEPS.map(([weight, arbitrary]) => ({ weight, arbitrary })));
