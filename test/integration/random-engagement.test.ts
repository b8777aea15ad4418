import fc from 'fast-check';
import { StepRunner } from '../support/engagement-model/run-steps.js';
import { StreamBed } from '../support/engagement-model/stream-bed.js';
import { steps } from '../support/engagement-model/steps.js';
import { randomRuns } from '../support/random-runs.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/*
 * Random sequences of opens, clicks, reports, unsubscriptions, erasures and flushes, compared with a model in memory
 * that follows docs/api.md and docs/engagement.md.
 */

let bed: StreamBed;
let receiver: WebhookReceiver;

const RUNS = randomRuns(2, 6);

beforeAll(async () => {
  receiver = await WebhookReceiver.listen();
  bed = await StreamBed.start();
});
afterAll(async () => {
  await bed?.stop();
  await receiver?.stop();
});

it('counters, events, suppressions and webhooks follow from what happened, however it was flushed', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const runner = await StepRunner.create(bed, receiver);
      for (const one of taken) await runner.take(one);
      await runner.settle();
    }),
    { ...RUNS, endOnFailure: true },
  );
});
