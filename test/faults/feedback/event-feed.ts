import { EventWebhookKey, postToSendGridRoute } from '../../support/sendgrid-calls.js';
import { waitBeforeRetry } from '../api-client.js';
import type { ServiceProcess } from '../testbed/service-process.js';
import { toSendGridEvent, type Report } from './report.js';

/** How long the feed repeats a call. SendGrid repeats it for a day. */
const TIMEOUT_MS = 90_000;

/**
 * Calls the Event Webhook as SendGrid does: signed, and repeated until a 2xx. Calls go to the API processes in turn.
 */
export class EventFeed {
  /** The number of calls that got no 2xx and were repeated. */
  repeatedCalls = 0;
  private turn = 0;

  constructor(
    private readonly apis: () => readonly ServiceProcess[],
    private readonly key: EventWebhookKey,
  ) {}

  /**
   * @param noise events that the service must ignore or drop
   * @throws Error when no call got a 2xx in time, or when a 2xx does not say that every report was stored
   */
  async post(reports: readonly Report[], noise: readonly unknown[] = []): Promise<void> {
    const body = JSON.stringify([...noise, ...reports.map(toSendGridEvent)]);
    const deadline = performance.now() + TIMEOUT_MS;
    for (let attempt = 0; performance.now() < deadline; attempt++) {
      await waitBeforeRetry(attempt);
      const services = this.apis();
      const { address } = services[this.turn++ % services.length]!;
      const response = await postToSendGridRoute(address, body, this.key.sign(body)).catch(() => undefined);
      if (response?.status === 200) {
        if (response.body.stored === reports.length) return;
        throw new Error(`A 200 for ${reports.length} reports says ${JSON.stringify(response.body)}`);
      }
      this.repeatedCalls++;
    }
    throw new Error('A call of the Event Webhook never got a 2xx');
  }
}
