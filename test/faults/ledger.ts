/** One email as a client knows it. */
export interface SendRecord {
  /** Idempotency key and metadata: finds the stored email whether it was answered or not. */
  readonly key: string;
  /** How often it was asked for. */
  tries: number;
  /** Of the first answer, and how long it took; undefined while there is none. */
  answer?: { readonly status: number; readonly trackingId: string; readonly milliseconds: number };
}

/** An open or a click as a reader knows it. */
export interface HitRecord {
  readonly answered: boolean;
  /** The id of request and event alike. */
  readonly id?: string;
  readonly milliseconds: number;
}

/** What the clients of one scenario did and what they were told. */
export class Ledger {
  readonly sends: SendRecord[] = [];
  /** Of every answer to a send, refusals included. */
  readonly statuses: number[] = [];
  readonly hits: HitRecord[] = [];
  /** Requests that were given up without an answer. */
  readonly complaints: string[] = [];
  /** Events whose only copy the scenario destroyed. */
  readonly destroyedEvents = new Set<string>();

  constructor(
    readonly name: string,
    readonly organizationId: string,
  ) {}

  newSend(): SendRecord {
    const record: SendRecord = { key: `${this.name}-${this.sends.length + 1}`, tries: 0 };
    this.sends.push(record);
    return record;
  }

  get answeredSends(): readonly SendRecord[] {
    return this.sends.filter(({ answer }) => answer !== undefined && answer.status < 300);
  }

  /** Those that had to be asked for again. */
  get repeatedSends(): readonly SendRecord[] {
    return this.sends.filter(({ tries }) => tries > 1);
  }

  get answeredEvents(): readonly string[] {
    return this.hits.flatMap(({ id }) => (id === undefined ? [] : [id]));
  }

  get unansweredHits(): number {
    return this.hits.filter(({ answered }) => !answered).length;
  }

  /** The longest that a client of each kind has waited for its answer. */
  get slowest(): { send: number; hit: number } {
    const longest = (times: readonly number[]) => Math.round(times.reduce((most, time) => Math.max(most, time), 0));
    return {
      send: longest(this.sends.map(({ answer }) => answer?.milliseconds ?? 0)),
      hit: longest(this.hits.filter(({ answered }) => answered).map(({ milliseconds }) => milliseconds)),
    };
  }
}
