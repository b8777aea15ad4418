import type { EmailDetail } from '../../../src/emails/read/email-detail.js';
import { ERASED_ADDRESS } from '../../../src/emails/mailbox.js';
import { EVENT_STREAM } from '../../../src/events/stream/stream-keys.js';
import { connectForBlocking, type RedisConnection } from '../../../src/platform/redis/connect.js';
import { EventWebhookKey } from '../../support/sendgrid-calls.js';
import { eventually } from '../../support/eventually.js';
import { TestService, type ApiResponse, type TestClient } from '../../support/service.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { isDeepStrictEqual } from 'node:util';
import { REFUSED_SENDER, shown, type Behavior, type ModelEmail } from './email-model.js';
import { SOFT_BOUNCE_LIMIT } from './model-suppressions.js';
import { ModelOrganization } from './organization-model.js';

const DAY_MS = 86_400_000;
/** As long as a key is cached. */
const KEY_MS = 5_000;

export interface Member {
  readonly client: TestClient;
  readonly model: ModelOrganization;
  /** Requests with an idempotency key. */
  requests: { path: string; key: string; body: object; response: ApiResponse<unknown> }[];
  readonly webhookPath: string;
}

/** A service, its surroundings, and two organizations with their models. */
export class World {
  readonly servers = new Map<string, Behavior>();
  members: Member[] = [];
  reports = 0;
  private keys = 0;
  private elapsedMs = 0;
  private worlds = 0;
  /** In days since 1970. */
  today = 0;
  /** Another organization, whose mail the provider always accepts. */
  private other!: TestClient;
  /** The sender by which the service replaces each sender. */
  readonly senders = new Map<string, string>();

  private constructor(
    readonly receiver: WebhookReceiver,
    readonly eventKey: EventWebhookKey,
    public service: TestService,
    private readonly redis: RedisConnection,
  ) {}

  static async start(): Promise<World> {
    const [receiver, eventKey] = [await WebhookReceiver.listen(), new EventWebhookKey()];
    const clock = { now: (): number => Date.now() + (world?.elapsedMs ?? 0) };
    let world: World | undefined;
    const environment = {
      SENDGRID_EVENT_PUBLIC_KEY: eventKey.publicKey,
      WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
      SEND_RESPONSE_TIMEOUT_MS: '120000',
      SOFT_BOUNCE_LIMIT: String(SOFT_BOUNCE_LIMIT),
      AMBIGUOUS_RESEND_AFTER_MS: '36000000',
      RATE_LIMIT_PER_MINUTE: '0',
    };
    const service = await TestService.start({ environment, clock });
    const redis = connectForBlocking(service.settings.REDIS_URL);
    return (world = new World(receiver, eventKey, service, redis));
  }

  async stop(): Promise<void> {
    this.redis.disconnect();
    await this.service.stop();
    await this.receiver.stop();
  }

  /** Begins with two new organizations. */
  async begin(): Promise<void> {
    this.servers.clear();
    this.service.mailServer.scripts.clear();
    this.service.mailServer.received.length = 0;
    this.receiver.received.length = 0;
    this.members = [];
    this.today = Math.floor(this.now() / DAY_MS);
    this.other = await this.service.organization();
    for (const index of [0, 1]) {
      const client = await this.service.organization();
      const webhookPath = `/${(this.worlds += 1)}-${index}`;
      const url = new URL(webhookPath, this.receiver.url).href;
      const names = [
        'SENT',
        'FAILED',
        'DELIVERED',
        'DEFERRED',
        'BOUNCED',
        'COMPLAINED',
        'SUPPRESSED',
        'UNSUBSCRIBED',
        'RESUBSCRIBED',
      ];
      const { status } = await client.post('/api/webhooks', { url, events: names.map((name) => `EMAIL_${name}`) });
      expect(status).toBe(201);
      this.members.push({ client, model: new ModelOrganization(this.servers), requests: [], webhookPath });
    }
  }

  now(): number {
    return Date.now() + this.elapsedMs;
  }

  /** Lets the API read again what it knows about keys. */
  forgetKeys(): void {
    this.elapsedMs += KEY_MS;
  }

  newKey(): string {
    return `key-${(this.keys += 1)}`;
  }

  /** Late on a day; today: a time that has passed. */
  inDays(days: number): number {
    return days === 0 ? Date.now() - 60_000 : (this.today + days) * DAY_MS + 0.9 * DAY_MS;
  }

  async campaignId({ client }: Member, name: string): Promise<string | undefined> {
    for (const archived of ['', '?archived=true']) {
      const { body } = await client.get<{ campaigns: { id: string; name: string }[] }>(`/api/campaigns${archived}`);
      const found = body.campaigns.find((one) => one.name === name);
      if (found) return found.id;
    }
    return undefined;
  }

  /** Notes by which names the service knows the email. */
  async name({ client }: Member, email: ModelEmail, response: { emailTrackingId: string } | undefined): Promise<void> {
    const newest = async (): Promise<string> =>
      (await client.get<{ emails: { trackingId: string }[] }>('/api/emails?limit=1')).body.emails[0]!.trackingId;
    const { body } = await client.get<EmailDetail>(`/api/emails/${response?.emailTrackingId ?? (await newest())}`);
    [email.id, email.trackingId] = [body.id, body.trackingId];
    const [, sender = ''] = /([^<\s]+@[^>\s]+)/.exec(email.message.from)!;
    this.senders.set(sender, /([^<\s]+@[^>\s]+)/.exec(body.from!)![1]!);
    if (sender !== REFUSED_SENDER) return;
    this.service.mailServer.scripts.clear(this.senders.get(sender)!);
    this.service.mailServer.scripts.add(this.senders.get(sender)!, {
      phase: 'mail',
      reply: '553 5.7.1 Not this sender',
    });
  }

  /** After unknown outcomes, the provider counts as failing until it accepts an email. */
  async showThatProviderWorks(): Promise<void> {
    const fields = { from: 'a@acme.example', to: 'fine@reader.example', subject: 'S', textContent: 'x' };
    expect((await this.other.post('/api/send', fields)).status).toBe(200);
  }

  /** Waits until the effects of all reports and subscriptions are stored: not every one changes what an email shows. */
  async storeEvents(): Promise<void> {
    await eventually(async () => (await this.redis.xlen(EVENT_STREAM)) === 0, 60_000);
  }

  memberOf(email: ModelEmail): Member {
    return this.members.find(({ model }) => model.emails.includes(email))!;
  }

  /** Waits until the service shows the email as the model has it. */
  async show(email: ModelEmail): Promise<void> {
    const { client, model } = this.memberOf(email);
    if (model.isSuspended) return;
    let seen: object = {};
    await eventually(async () => {
      const { body } = await client.get<EmailDetail>(`/api/emails/${email.id}`);
      seen = viewOf(body);
      return isDeepStrictEqual(seen, email.view);
    }, 60_000).catch(() => expect(seen).toEqual(email.view));
  }
}

function viewOf({ status: exact, possibleDuplicate, recipients, attempts }: EmailDetail): object {
  const status = exact === 'sending' ? 'queued' : exact;
  return {
    status,
    ...(status === 'queued' && { isTried: attempts > 0, possibleDuplicate }),
    ...(status === 'sent' && { possibleDuplicate }),
    recipients: recipients.map(({ kind, address, state }) =>
      address === ERASED_ADDRESS ? `${kind} erased` : `${kind} ${address.toLowerCase()} ${shown(status, state)}`,
    ),
  };
}

/** The time of scheduled emails comes. */
export async function comesDue({ database }: TestService, ids: readonly string[]): Promise<void> {
  await database.query(
    `with locked as materialized (
       select email_id from pending_emails where email_id = any($1::uuid[]) order by email_id for update
     ), moved as (
       update emails set send_at = now() - interval '1 s'
        where id = any($1::uuid[]) and (select count(*) from locked) >= 0
     )
     update pending_emails set due_at = now() - interval '1 s', queued_at = now() where email_id in (select email_id from locked)`,
    [ids],
  );
}
