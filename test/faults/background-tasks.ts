import { setTimeout as delay } from 'node:timers/promises';
import type { Clients } from './clients.js';

const POLL_INTERVAL_MS = 500;
const TIMEOUT_MS = 90_000;

/** One of this many refused emails stays failed. */
const ABANDON_EVERY = 3;

/**
 * What customers do beside sending: they retry failed emails and archive campaigns. These tasks continue after the load
 * has stopped, and a scenario is settled only when they have ended.
 */
export class BackgroundTasks {
  private refused = 0;

  /** @param refuseOnce makes the provider refuse the next email to an address permanently */
  constructor(
    private readonly clients: Clients,
    private readonly refuseOnce: (address: string) => void,
  ) {}

  /** Sends an email that the provider refuses, waits until it has failed, and retries most of them. */
  async retryFailedEmail(number: number): Promise<void> {
    const { api, history } = this.clients;
    const staysFailed = this.refused++ % ABANDON_EVERY === 1;
    await this.waitSeconds(`retry ${number}`, async () => {
      const to = `canary-reader-refused-${number}-${history.name.toLowerCase()}@example.com`;
      this.refuseOnce(to);
      const send = await this.clients.send({ to, respondAsync: staysFailed });
      const id = await this.failedEmail(to);
      if (id === undefined || staysFailed) return;
      for (const deadline = performance.now() + TIMEOUT_MS; performance.now() < deadline;) {
        const response = await api.request(`/api/emails/${id}/retry`, {}).catch(() => undefined);
        // The response does not show whether Postgres committed before it went down.
        if (!response || response.status === 503) send.retries.unconfirmed++;
        else if (response.status === 200) return void send.retries.confirmed++;
        // An earlier request without a response has retried it.
        else if (response.status === 409 && send.retries.unconfirmed > 0) return;
        else if (response.status < 500) throw new Error(`a retry got ${response.status}`);
        await delay(POLL_INTERVAL_MS);
      }
      throw new Error('a retry got no response');
    });
  }

  /** Sends to a campaign of its own, archives it, and sends again. */
  async archiveCampaign(number: number): Promise<void> {
    const { api, history } = this.clients;
    await this.waitSeconds(`archive ${number}`, async () => {
      const campaign = `${history.name}-archived-${number}`;
      await this.clients.send({ campaign, respondAsync: true });
      const { body } = await api.requestWithRetries('/api/campaigns');
      const id = (body['campaigns'] as { id: string; name: string }[]).find(({ name }) => name === campaign)?.id;
      const requestedAt = Date.now();
      const { status } = await api.requestWithRetries(`/api/campaigns/${id}/archive`, {});
      // A 400 means that an earlier request without a response has archived it.
      if (status !== 200 && status !== 400) throw new Error(`an archive request got ${status}`);
      history.archives.push({ campaign, requestedAt, respondedAt: Date.now() });
      await this.clients.send({ campaign });
    });
  }

  /** The ID of the only email to an address, once it has failed; undefined if it is sent. */
  private async failedEmail(to: string): Promise<string | undefined> {
    for (const deadline = performance.now() + TIMEOUT_MS; performance.now() < deadline;) {
      const { body } = await this.clients.api.requestWithRetries(`/api/emails?recipient=${encodeURIComponent(to)}`);
      const [email] = (body['emails'] ?? []) as { id: string; status: string }[];
      if (email?.status === 'failed') return email.id;
      if (email?.status === 'sent') return undefined;
      await delay(POLL_INTERVAL_MS);
    }
    throw new Error('an email neither failed nor was sent');
  }

  private async waitSeconds(what: string, work: () => Promise<void>): Promise<void> {
    const { history } = this.clients;
    history.unfinishedTasks++;
    try {
      await work();
    } catch (error) {
      history.clientErrors.push(`${what}: ${String(error)}`);
    } finally {
      history.unfinishedTasks--;
    }
  }
}
