import { setTimeout as delay } from 'node:timers/promises';
import type { Clients } from './clients.js';

const POLL_INTERVAL_MS = 500;
const TIMEOUT_MS = 90_000;

/** One refused email of so many stays failed. */
const ABANDON_EVERY = 3;

/**
 * What customers do beside sending: they have failed emails sent again, and archive campaigns. It goes on after the
 * load has stopped, and belongs to what must be in order in the end.
 */
export class BackgroundTasks {
  private refused = 0;

  /** @param refuseOnce makes the provider refuse the next email to an address for good */
  constructor(
    private readonly clients: Clients,
    private readonly refuseOnce: (address: string) => void,
  ) {}

  /** Sends an email that the provider refuses, waits until it has failed, and, mostly, has it sent again. */
  async retryFailedEmail(number: number): Promise<void> {
    const { api, history } = this.clients;
    const staysFailed = this.refused++ % ABANDON_EVERY === 1;
    await this.waitSeconds(`retry ${number}`, async () => {
      const to = `canary-reader-refused-${number}-${history.name.toLowerCase()}@example.com`;
      this.refuseOnce(to);
      const send = await this.clients.send({ to, respondAsync: staysFailed });
      const id = await this.endedEmail(to);
      if (id === undefined || staysFailed) return;
      for (const deadline = performance.now() + TIMEOUT_MS; performance.now() < deadline;) {
        const response = await api.request(`/api/emails/${id}/retry`, {}).catch(() => undefined);
        // Without Postgres nobody knows whether the commit came before it went away.
        if (!response || response.status === 503) send.retries.unconfirmed++;
        else if (response.status === 200) return void send.retries.confirmed++;
        // An earlier request that was not answered has done it.
        else if (response.status === 409 && send.retries.unconfirmed > 0) return;
        else if (response.status < 500) throw new Error(`a retry got ${response.status}`);
        await delay(POLL_INTERVAL_MS);
      }
      throw new Error('a retry got no response');
    });
  }

  /** Sends into a campaign of its own, archives that, and sends again. */
  async archiveCampaign(number: number): Promise<void> {
    const { api, history } = this.clients;
    await this.waitSeconds(`archive ${number}`, async () => {
      const campaign = `${history.name}-archived-${number}`;
      await this.clients.send({ campaign, respondAsync: true });
      const { body } = await api.requestWithRetries('/api/campaigns');
      const id = (body['campaigns'] as { id: string; name: string }[]).find(({ name }) => name === campaign)?.id;
      const requestedAt = Date.now();
      const { status } = await api.requestWithRetries(`/api/campaigns/${id}/archive`, {});
      // 400 says that it is archived already: by a request that was not answered.
      if (status !== 200 && status !== 400) throw new Error(`an archive request got ${status}`);
      history.archives.push({ campaign, requestedAt, respondedAt: Date.now() });
      await this.clients.send({ campaign });
    });
  }

  /** The ID of the only email to an address, once it has failed; undefined if it is sent. */
  private async endedEmail(to: string): Promise<string | undefined> {
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
