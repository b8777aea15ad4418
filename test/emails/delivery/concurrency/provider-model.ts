import { AdaptiveLimit } from '../../../../src/emails/delivery/concurrency/adaptive-limit.js';

export interface ProviderModel {
  /** Number of calls that it processes at once; it queues further ones. */
  readonly servers: number;
  /** Processing time of one call, in milliseconds. */
  readonly serviceMs: () => number;
}

export interface Backlog {
  readonly most: number;
  readonly emails: number;
  /** Without it, as many calls are in progress as there are slots. */
  readonly adaptive?: boolean;
  /** Replaces the provider after a number of deliveries. */
  readonly later?: ProviderModel & { readonly afterEmails: number };
}

export interface Course {
  /** Emails per second. */
  readonly speed: number;
  /** Mean number of calls in progress during the second half. */
  readonly calls: number;
}

/** Time between two emails in the same slot. */
const FETCH_MS = 2;

/** Delivers a backlog to a provider in simulated time: it reads no clock, and the same input gives the same result. */
export function deliverBacklog(provider: ProviderModel, { most, emails, adaptive = true, later }: Backlog): Course {
  const agenda = new Agenda();
  const limit = new AdaptiveLimit(most, 0);
  const queue: (() => void)[] = [];
  let [model, working, inProgress, held, left, done, callMs, halfAt] = [provider, 0, 0, 0, emails, 0, 0, 0];

  const serve = (): void => {
    while (working < model.servers && queue.length > 0) {
      working += 1;
      const end = queue.shift()!;
      agenda.add(model.serviceMs(), () => {
        working -= 1;
        end();
        serve();
      });
    }
  };
  const assign = (): void => {
    limit.observe(held, agenda.now);
    while (held > inProgress && inProgress < (adaptive ? limit.limit : most)) call();
  };
  const call = (): void => {
    inProgress += 1;
    const begunAt = agenda.now;
    queue.push(() => {
      limit.delivered(begunAt, agenda.now);
      [inProgress, held, done] = [inProgress - 1, held - 1, done + 1];
      if (done * 2 >= emails) callMs += agenda.now - Math.max(begunAt, halfAt);
      else halfAt = agenda.now;
      if (done === later?.afterEmails) model = later;
      assign();
      agenda.add(FETCH_MS, take);
    });
    serve();
  };
  const take = (): void => {
    if (left === 0) return;
    [left, held] = [left - 1, held + 1];
    assign();
  };
  const look = (): void => {
    assign();
    if (done < emails) agenda.add(1_000, look);
  };
  for (let place = 0; place < most; place++) take();
  look();
  agenda.run(() => done < emails);
  return { speed: (done / agenda.now) * 1_000, calls: callMs / (agenda.now - halfAt) };
}

/** Scheduled events, in order of time. */
class Agenda {
  now = 0;
  private readonly entries: { readonly at: number; readonly run: () => void }[] = [];

  add(afterMs: number, run: () => void): void {
    const at = this.now + afterMs;
    let index = this.entries.length;
    while (index > 0 && this.entries[index - 1]!.at > at) index -= 1;
    this.entries.splice(index, 0, { at, run });
  }

  run(isOn: () => boolean): void {
    while (isOn()) {
      const next = this.entries.shift()!;
      this.now = next.at;
      next.run();
    }
  }
}
