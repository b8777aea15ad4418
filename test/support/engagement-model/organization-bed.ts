import type { TestClient } from '../service.js';
import type { WebhookReceiver } from '../webhook-receiver.js';
import { timeOfUuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { eventually } from '../eventually.js';
import { classified, OrganizationModel, type ModelEmail } from './model.js';
import { expectedFigures, sorted } from './figures.js';
import { shownFigures } from './shown-figures.js';
import { SOFT_BOUNCE_LIMIT, type StreamBed } from './stream-bed.js';

/** An email with the addresses of its pixel, links and unsubscribe page. */
export interface TrackedModelEmail {
  readonly of: ModelEmail;
  readonly organization: OrganizationBed;
  readonly pixel: string;
  readonly links: readonly string[];
  readonly page: string | undefined;
}

interface PostedEvent {
  readonly type: string;
  readonly data: { readonly id: string; readonly recipient?: string; readonly occurredAt?: string };
}

const HITS = ['EMAIL_OPENED', 'EMAIL_CLICKED'];
const OF_EMAIL = ['campaign', 'emailTrackingId', 'from', 'id', 'metadata', 'subject', 'to'];
const OF_HIT = ['certainty', 'class', 'occurredAt', 'reason'];
const OF_RECIPIENT = ['bounce', 'occurredAt', 'reason', 'recipient', 'smtpStatus'];
/** The documented fields of `data` in addition to those of the email. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  ...{ EMAIL_SENT: ['sentAt'], EMAIL_OPENED: OF_HIT, EMAIL_CLICKED: [...OF_HIT, 'url'] },
  ...{ EMAIL_DELIVERED: OF_RECIPIENT, EMAIL_DEFERRED: OF_RECIPIENT, EMAIL_BOUNCED: OF_RECIPIENT },
  ...{ EMAIL_COMPLAINED: OF_RECIPIENT, EMAIL_SUPPRESSED: OF_RECIPIENT },
  ...{ EMAIL_UNSUBSCRIBED: OF_RECIPIENT, EMAIL_RESUBSCRIBED: OF_RECIPIENT },
};

/** An organization with a webhook for all events, one for opens and clicks by people, and its model. */
export class OrganizationBed {
  readonly model = new OrganizationModel(SOFT_BOUNCE_LIMIT);
  private readonly begun = Date.now();

  private constructor(
    private readonly bed: StreamBed,
    readonly client: TestClient,
    private readonly receiver: WebhookReceiver,
    private readonly webhooks: { readonly all: string; readonly people: string },
  ) {}

  static async create(bed: StreamBed, receiver: WebhookReceiver): Promise<OrganizationBed> {
    const client = await bed.service.organization();
    const create = async (path: string, more: object): Promise<string> => {
      const url = `${receiver.url}/${client.organizationId}/${path}`;
      const { status, body } = await client.post<{ id: string }>('/api/webhooks', { url, ...more });
      expect({ status, body }).toMatchObject({ status: 201 });
      return body.id;
    };
    const all = await create('all', { events: Object.keys(FIELDS) });
    const people = await create('people', { events: HITS, people: true });
    return new OrganizationBed(bed, client, receiver, { all, people });
  }

  /** Compares all that the API shows, and all webhooks, with the model. */
  async compare(): Promise<void> {
    expect(await shownFigures(this.client, this.begun)).toEqual(expectedFigures(this.model));
    await this.compareWebhooks();
    await this.comparePeople();
  }

  /** Each event was posted once. An erasure deletes those of its emails. */
  private async compareWebhooks(): Promise<void> {
    const kept = new Set(this.untouched.map(({ id }) => id));
    const [row] = await this.bed.service.database.query<{ count: number }>(
      'select count(*)::int as count from webhook_deliveries where endpoint_id = $1 and email_id = any($2::uuid[])',
      [this.webhooks.all, [...kept]],
    );
    const posted = await eventually(() => {
      const events = this.postedEvents.filter(({ data }) => kept.has(data.id));
      return events.length >= row!.count && events;
    });
    expect(posted.length).toBe(row!.count);
    for (const { type, data } of posted)
      expect({ type, fields: Object.keys(data).sort() }).toEqual({
        type,
        fields: [...OF_EMAIL, ...FIELDS[type]!].sort(),
      });
    const named = posted.map(({ type, data: { id, recipient, occurredAt } }) => {
      return [type, id, recipient ?? (HITS.includes(type) ? occurredAt : '')].join(' ');
    });
    const [expected, possible] = [this.model.webhooks, this.model.possibleWebhooks].map((webhooks) =>
      webhooks.filter(([, id]) => kept.has(id)).map((parts) => parts.join(' ')),
    );
    expect(
      sorted(
        without(
          named,
          without(named, expected!).filter((one) => possible!.includes(one)),
        ),
      ),
    ).toEqual(sorted(expected!));
    this.compareDecisions(posted);
  }

  private get postedEvents(): PostedEvent[] {
    const path = `/hook/${this.client.organizationId}/all`;
    const events = this.receiver.received.filter((one) => one.path === path);
    return [...new Map(events.map(({ id, body }) => [id, JSON.parse(body) as PostedEvent])).values()];
  }

  /** The latest webhook about the subscription of an address shows the decision of the recipient. */
  private compareDecisions(posted: readonly PostedEvent[]): void {
    for (const [address, { decision, isToldInOrder }] of this.model.addresses) {
      const isTouched = this.model.emails.some((email) => email.isTouched && email.recipients.has(address));
      if (decision === undefined || !isToldInOrder || isTouched) continue;
      const about = posted.filter(({ type, data }) => data.recipient === address && type.endsWith('SUBSCRIBED'));
      const latest = about.toSorted((one, other) => (one.data.occurredAt! < other.data.occurredAt! ? 1 : -1))[0]?.type;
      expect({ address, latest: latest ?? 'EMAIL_RESUBSCRIBED' }).toEqual({
        ...{ address, latest: `EMAIL_${decision.toUpperCase()}` },
      });
    }
  }

  /** The webhook for people gets all hits by people, and those of machines at most before a later hit shows them. */
  private async comparePeople(): Promise<void> {
    const rows = await this.bed.service.database.query<{
      email: string;
      event: string;
      isOpen: boolean;
      status: string;
    }>(
      `select email_id as email, event_id as event, type = 'EMAIL_OPENED' as "isOpen", status
         from webhook_deliveries where endpoint_id = $1`,
      [this.webhooks.people],
    );
    for (const email of this.untouched) {
      const deliveries = rows.filter((row) => row.email === email.id);
      const nameOf = (isOpen: boolean, at: number) => `${isOpen ? 'open' : 'click'} ${at}`;
      const people = classified(email)
        .filter(({ final }) => final.class === 'human' || final.class === 'proxy')
        .map(({ position, at }) => nameOf(position === null, at));
      const named = ({ isOpen, event }: (typeof rows)[number]) => nameOf(isOpen, timeOfUuidV7(event));
      const begun = deliveries.filter(({ status }) => status !== 'pending').map(named);
      const waiting = deliveries.filter(({ status }) => status === 'pending').map(named);
      expect({ email: email.id, sent: sorted([...waiting, ...begun.filter((one) => people.includes(one))]) }).toEqual({
        ...{ email: email.id, sent: sorted(people) },
      });
    }
  }

  private get untouched(): readonly ModelEmail[] {
    return this.model.emails.filter(({ isTouched }) => !isTouched);
  }
}

/** What is left of a list after each of the others is taken out once. */
function without(items: readonly string[], others: readonly string[]): string[] {
  const left = [...items];
  for (const other of others) if (left.includes(other)) left.splice(left.indexOf(other), 1);
  return left;
}
