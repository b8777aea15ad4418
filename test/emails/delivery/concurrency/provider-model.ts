import { AdaptiveLimit } from '../../../../src/emails/delivery/concurrency/adaptive-limit.js';

export interface ProviderModel {
  /** How many calls it works on at once; further ones queue. */
  readonly servers: number;
  /** How long it works on one, in milliseconds. */
  readonly serviceMs: () => number;
}

export interface Backlog {
  readonly most: number;
  readonly emails: number;
  /** Without it, as many calls are under way as there are places. */
  readonly adaptive?: boolean;
  /** What the provider becomes after so many deliveries. */
  readonly later?: ProviderModel & { readonly afterEmails: number };
}

export interface Course {
  /** Emails per second. */
  readonly speed: number;
  /** Calls under way while the last half was delivered, on average. */
  readonly calls: number;
}

/** Between two emails in the same hands. */
const FETCH_MS = 2;

/** Delivers a backlog to a provider in time of its own: no clock is read, and the same input gives the same course. */
export function deliverBacklog(provider: ProviderModel, { most, emails, adaptive = true, later }: Backlog): Course {
  const agenda = new Agenda();
  const limit = new AdaptiveLimit(most, 0);
  const queue: (() => void)[] = [];
  let [model, working, underWay, held, left, done, callMs, halfAt] = [provider, 0, 0, 0, emails, 0, 0, 0];

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
    while (held > underWay && underWay < (adaptive ? limit.limit : most)) call();
  };
  const call = (): void => {
    underWay += 1;
    const begunAt = agenda.now;
    queue.push(() => {
      limit.delivered(begunAt, agenda.now);
      [underWay, held, done] = [underWay - 1, held - 1, done + 1];
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

/** What is to happen, in order of time. */
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
