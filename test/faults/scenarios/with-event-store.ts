import type { Scenario, ScenarioContext } from '../scenario.js';
import { AttachedEventStore } from '../testbed/attached-event-store.js';
import type { Testbed } from '../testbed/testbed.js';

const COMPLETE_WITHIN_MS = 60_000;

type FaultScript = (context: ScenarioContext, store: AttachedEventStore) => Promise<void>;

/** Several testbeds may run the same scenario at once. */
const stores = new WeakMap<Testbed, AttachedEventStore>();

/** The flushers write to an event store while `script` runs and until L8 has been checked. */
export function withEventStore(
  about: Pick<Scenario, 'id' | 'fault' | 'withinMs' | 'subscribedEvents' | 'maxMemoryMb'>,
  script: FaultScript,
  completeWithinMs = COMPLETE_WITHIN_MS,
): Scenario {
  return {
    ...about,
    missingRequirement: () => AttachedEventStore.missingRequirement(),
    async inject(context) {
      const store = await AttachedEventStore.attachTo(context.testbed);
      stores.set(context.testbed, store);
      await script(context, store);
    },
    async verify({ testbed, reportViolation, note }) {
      const store = stores.get(testbed);
      if (!store) return;
      try {
        for (const what of await store.findViolations(completeWithinMs)) reportViolation(what);
        note(`${await store.events()} events in the store`);
      } finally {
        await store.detach();
      }
    },
  };
}

/** Resolves when the store has every event of Postgres, or when time is up, which `verify` reports. */
export async function isComplete(
  { note }: ScenarioContext,
  store: AttachedEventStore,
  withinMs = COMPLETE_WITHIN_MS,
): Promise<void> {
  const startedAt = performance.now();
  const violations = await store.findViolations(withinMs);
  if (violations.length > 0) return;
  note(`${await store.events()} events, complete within ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
}
