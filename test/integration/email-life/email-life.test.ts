import fc from 'fast-check';
import { randomRuns } from '../../support/random-runs.js';
import { compare } from './compare.js';
import { REFUSED_SENDER } from './email-model.js';
import { DOUBTFUL, GHOST, step, type Step } from './steps.js';
import { takeStep } from './take-step.js';
import { World } from './world.js';

const runs = randomRuns(5, 2);

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world?.stop());

/** At first, some mail servers do not just accept. */
const SERVERS: readonly Step[] = [
  { do: 'server changes', address: GHOST, behavior: 'does-not-exist' },
  { do: 'server changes', address: 'dan@reader.example', behavior: 'refuses' },
  { do: 'server changes', address: 'eve@reader.example', behavior: 'defers' },
  { do: 'server changes', address: DOUBTFUL, behavior: 'drops-and-keeps' },
];

/** An email from the sender that the provider refuses, and its cancellation: the stub gets to know the sender. */
const fromRefused = (by: number): Step[] => {
  const to = [{ address: 'ann@reader.example', written: 'ann@reader.example' }];
  const message = { from: REFUSED_SENDER, to, cc: [], bcc: [], tags: [], unsubscribe: false, inDays: 1 };
  return [
    { do: 'send', by, message, key: false, waits: false },
    { do: 'cancel', by, email: 0 },
  ];
};

/** An email in doubt refuses to be canceled. */
const inDoubt = (by: number): Step[] => {
  const to = [{ address: DOUBTFUL, written: DOUBTFUL }];
  const message = { from: 'ada@acme.example', to, cc: [], bcc: [], tags: [], unsubscribe: false };
  return [
    { do: 'send', by, message, key: false, waits: false },
    { do: 'cancel', by, email: 1 },
  ];
};

/** Takes a step, and waits until the service shows every email that it changed as the model has it. */
async function take(next: Step): Promise<void> {
  const { members } = world;
  const emails = () => members.flatMap(({ model }) => model.emails);
  const before = new Map(emails().map((email) => [email, JSON.stringify(email.view)]));
  const doubts = () => members.reduce((sum, { model }) => sum + model.unknownOutcomes, 0);
  const doubtsBefore = doubts();
  await takeStep(world, next);
  for (const { model } of members) model.deliver();
  for (const email of emails()) if (before.get(email) !== JSON.stringify(email.view)) await world.show(email);
  if (doubts() > doubtsBefore) await world.showThatProviderWorks();
}

it('emails of two organizations live as documented, whatever happens to them', async () => {
  const steps = fc.array(step, { minLength: 20, maxLength: 40, size: 'max' });
  const property = fc.asyncProperty(steps, async (taken) => {
    await world.begin();
    const opening = [...SERVERS, ...fromRefused(0), ...fromRefused(1), ...inDoubt(0)];
    const resume = [0, 1].map((by): Step => ({ do: 'resume', by }));
    for (const next of [...opening, ...taken, ...resume]) await take(next);
    for (const member of world.members) await compare(world, member);
  });
  await fc.assert(property, { ...runs, endOnFailure: true });
});
