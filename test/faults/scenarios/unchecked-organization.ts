import { eventually } from '../../support/eventually.js';
import { Clients, type TrackedEmail } from '../clients.js';
import { readProviderRequests } from '../provider-requests.js';
import { ClientHistory } from '../client-history.js';
import type { Testbed } from '../testbed/testbed.js';

const EMAILS = 10;
/** Enough time to replicate the email before it is sent. */
const DUE_IN_MS = 4_000;
const TIMEOUT_MS = 90_000;

/** What the organization lost. */
interface Losses {
  readonly text: string;
  readonly isEverything: boolean;
}

/** An organization that no invariant covers: it loses what happens while the standby is behind. */
export class UncheckedOrganization {
  private readonly delivered: string[] = [];
  private scheduled: string[] = [];

  private constructor(
    private readonly testbed: Testbed,
    private readonly clients: Clients,
    private readonly trackedEmails: readonly TrackedEmail[],
  ) {}

  /** Creates the organization, with delivered emails that can be opened. */
  static async create(testbed: Testbed): Promise<UncheckedOrganization> {
    const { id, apiKey } = await testbed.createOrganization('unchecked');
    const history = new ClientHistory('unchecked', id);
    const clients = new Clients(
      () => testbed.apis,
      () => testbed.edges,
      apiKey,
      history,
    );
    const sends = await Promise.all(Array.from({ length: EMAILS }, () => clients.send()));
    const unchecked = new UncheckedOrganization(
      testbed,
      clients,
      sends.flatMap(({ trackedEmail }) => trackedEmail ?? []),
    );
    await eventually(async () => (await unchecked.sentEvents()) === EMAILS, TIMEOUT_MS);
    return unchecked;
  }

  /** Schedules emails that the standby has, and that are due once it is behind. */
  async scheduleEmails(): Promise<void> {
    const sendAt = new Date(Date.now() + DUE_IN_MS).toISOString();
    this.scheduled = await this.send({ sendAt });
  }

  /** Sends emails that are accepted and delivered. */
  async sendEmails(): Promise<void> {
    this.delivered.push(...(await this.send({})));
  }

  /** Opens the emails, and waits until the opens are stored. */
  async openEmails(): Promise<void> {
    for (const { pixelPath } of this.trackedEmails) await this.clients.hit(pixelPath);
    await eventually(async () => (await this.storedOpens()) === EMAILS, TIMEOUT_MS);
  }

  async waitForScheduledEmails(): Promise<void> {
    await eventually(
      async () => (await this.stored(this.scheduled)).every(({ status }) => status === 'sent'),
      TIMEOUT_MS,
    );
    await eventually(async () => (await this.sentEvents()) === 3 * EMAILS, TIMEOUT_MS);
  }

  /** Waits until the scheduled emails have been sent again. */
  async countLosses(): Promise<Losses> {
    const copies = () => readProviderRequests(this.testbed, new Set(this.scheduled)).length;
    await eventually(() => copies() >= 2 * EMAILS, TIMEOUT_MS);
    const again = await eventually(async () => {
      const emails = await this.stored(this.scheduled);
      return emails.every(({ status }) => status === 'sent') && emails;
    }, TIMEOUT_MS);
    const gone = EMAILS - (await this.stored(this.delivered)).length;
    const unflagged = again.filter(({ isFlagged }) => !isFlagged).length;
    const opens = EMAILS - (await this.storedOpens());
    const text = `${gone} accepted and delivered emails gone, ${copies() - EMAILS} sent again (${unflagged} unflagged), ${opens} stored opens gone`;
    return { text, isEverything: [gone, copies() - EMAILS, unflagged, opens].every((count) => count === EMAILS) };
  }

  /** @returns the IDs of the emails */
  private async send(options: { sendAt?: string }): Promise<string[]> {
    const records = await Promise.all(Array.from({ length: EMAILS }, () => this.clients.send(options)));
    const trackingIds = records.map(({ trackedEmail }) => trackedEmail!.trackingId);
    const rows = await this.testbed.database.query<{ id: string }>(
      'select id from emails where tracking_id = any($1::text[])',
      [trackingIds],
    );
    return rows.map(({ id }) => id);
  }

  private stored(ids: readonly string[]): Promise<{ status: string; isFlagged: boolean }[]> {
    return this.testbed.database.query(
      `select status, possible_duplicate as "isFlagged" from emails where id = any($1::uuid[])`,
      [ids],
    );
  }

  private async storedOpens(): Promise<number> {
    return this.count('select coalesce(sum(opens), 0)::int as n from emails e where e.organization_id = $1');
  }

  private async sentEvents(): Promise<number> {
    return this.count(
      `select count(*)::int as n from events v join emails e on e.id = v.email_id
        where e.organization_id = $1 and v.type = 'sent' and v.ordinal = 1`,
    );
  }

  private async count(sql: string): Promise<number> {
    const [row] = await this.testbed.database.query<{ n: number }>(sql, [this.clients.history.organizationId]);
    return row!.n;
  }
}
