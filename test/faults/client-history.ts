import type { ArchiveRequest, ObservedHit, Message, ObservedSend, SendResponse } from './observations.js';

/** How the message of a 500 begins that concerns only the email. */
export const DELIVERY_FAILED = 'Email delivery failed';

/** True for a response that neither accepts the email nor says what is wrong with it. */
export function isRefusal({ status, error = '' }: SendResponse): boolean {
  return status >= 300 && status !== 400 && !error.startsWith(DELIVERY_FAILED);
}

/** One email as a client knows it. */
export interface SendRecord extends ObservedSend {
  attempts: number;
  readonly responses: SendResponse[];
  /** Why attempts got no response. */
  readonly connectionErrors: string[];
  readonly retries: { confirmed: number; unconfirmed: number };
}

/** An open or a click as a reader knows it. */
export interface HitRecord extends ObservedHit {
  readonly hasResponse: boolean;
  readonly milliseconds: number;
}

/** The requests of one scenario's clients and the responses that they got. */
export class ClientHistory {
  readonly sends: SendRecord[] = [];
  readonly hits: HitRecord[] = [];
  readonly archives: ArchiveRequest[] = [];
  /** Requests without a final response, and responses that are wrong by themselves. */
  readonly clientErrors: string[] = [];
  /** Events whose only copy the scenario destroyed. */
  readonly destroyedEvents = new Set<string>();
  /** Background tasks of clients that still run although the load has stopped. */
  unfinishedTasks = 0;
  /** Distinct reports about recipients in calls of the Event Webhook that got a 2xx. */
  acknowledgedReports = 0;

  constructor(
    readonly name: string,
    readonly organizationId: string,
  ) {}

  /** @param compose makes the message from the key and the number of the send */
  addSend(compose: (key: string, number: number) => Message): SendRecord {
    const number = this.sends.length + 1;
    const key = `${this.name}-${number}`;
    const retries = { confirmed: 0, unconfirmed: 0 };
    const record: SendRecord = {
      key,
      message: compose(key, number),
      attempts: 0,
      responses: [],
      connectionErrors: [],
      retries,
    };
    this.sends.push(record);
    return record;
  }

  /** Of every response to a send, except those that say what is wrong with that email. */
  get statuses(): readonly number[] {
    const responses = this.sends.flatMap((send) => send.responses);
    return responses.filter((response) => response.status < 300 || isRefusal(response)).map(({ status }) => status);
  }

  /** Sends with more than one attempt. */
  get repeatedSends(): readonly SendRecord[] {
    return this.sends.filter(({ attempts }) => attempts > 1);
  }

  /** Why clients repeated them: statuses and connection errors. */
  get reasonsToRepeat(): readonly string[] {
    return this.repeatedSends.flatMap(({ responses, connectionErrors }) => [
      ...responses.filter(({ status }) => status >= 300).map(({ status, error }) => `${status} ${error}`),
      ...connectionErrors,
    ]);
  }

  get acknowledgedEvents(): readonly string[] {
    return this.hits.flatMap(({ id }) => (id === undefined ? [] : [id]));
  }

  get hitsWithoutResponse(): number {
    return this.hits.filter(({ hasResponse }) => !hasResponse).length;
  }

  /** The longest wait for a response to a send and to a hit. */
  get slowest(): { send: number; hit: number } {
    const longest = (times: readonly number[]) => Math.round(times.reduce((most, time) => Math.max(most, time), 0));
    const responses = this.sends.flatMap((send) => send.responses);
    return {
      send: longest(responses.filter(({ status }) => status < 300).map(({ milliseconds }) => milliseconds)),
      hit: longest(this.hits.filter(({ hasResponse }) => hasResponse).map(({ milliseconds }) => milliseconds)),
    };
  }
}
