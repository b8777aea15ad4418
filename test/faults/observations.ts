/**
 * What was seen of one organization, row by row: what its clients asked and were answered, what Postgres holds, what
 * the stubs of provider and webhook receiver wrote down. The invariants compare these with each other.
 */
export interface Observations {
  readonly sends: readonly ObservedSend[];
  readonly hits: readonly ObservedHit[];
  readonly archives: readonly ArchiveRequest[];
  /** Requests that ended without a usable answer, in words. */
  readonly clientErrors: readonly string[];
  readonly stored: StoredRows;
  readonly providerRequests: readonly ProviderRequest[];
  readonly webhooks: readonly DeliveredWebhook[];
  /** The webhook events that the organization listens to. */
  readonly subscribedEvents: readonly string[];
  /** The number of attempts with an unknown outcome, by email ID. */
  readonly unknownOutcomes: ReadonlyMap<string, number>;
  /** Events that a scenario destroyed together with their only copy, by ID. */
  readonly destroyed: ReadonlySet<string>;
  /** What the processes themselves did wrong, in words. */
  readonly processes: readonly string[];
}

/** What a client asks to be sent. Addresses are bare and in lower case. */
export interface Message {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: string;
  readonly campaign: string;
  /** Destinations of its links, by position. */
  readonly urls: readonly string[];
}

/** One response to POST /api/send. */
export interface SendResponse {
  readonly status: number;
  /** When the request began, in milliseconds since the epoch. */
  readonly at: number;
  readonly milliseconds: number;
  /** Of a 2xx. */
  readonly email?: {
    readonly id: string | null;
    readonly emailTrackingId: string;
    readonly from: string;
    readonly to: readonly string[];
    readonly subject: string;
    readonly links: readonly { readonly originalUrl: string }[];
    readonly pixelUrl: string;
    readonly status?: string;
  };
  readonly error?: string;
}

/** One email that a client wanted to send, under a key of its own. */
export interface ObservedSend {
  readonly key: string;
  readonly message: Message;
  /** How often it was asked for; those without a response may have been heard. */
  readonly attempts: number;
  readonly responses: readonly SendResponse[];
  /** Of POST /api/emails/:id/retry: how often it was answered 200, and how often by nothing or a 503. */
  readonly retries: { readonly confirmed: number; readonly unconfirmed: number };
}

/** One open or click, never repeated. */
export interface ObservedHit {
  readonly type: 'opened' | 'clicked';
  readonly trackingId: string;
  /** Of a click. */
  readonly position?: number;
  readonly url?: string;
  /** The id of request and event alike; undefined when it was not answered. */
  readonly id?: string;
}

/** When a campaign was archived, in milliseconds since the epoch. */
export interface ArchiveRequest {
  readonly campaign: string;
  readonly requestedAt: number;
  readonly respondedAt?: number;
}

export interface StoredRows {
  readonly emails: readonly StoredEmail[];
  readonly events: readonly StoredEvent[];
  readonly contacts: readonly StoredContact[];
  readonly campaigns: readonly StoredCampaign[];
}

export interface StoredEmail {
  readonly id: string;
  /** The key it was asked for under. */
  readonly key: string | null;
  readonly trackingId: string;
  readonly status: string;
  readonly campaign: string | null;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: string;
  /** Its contacts' addresses in lower case, by ordinal. */
  readonly contacts: readonly string[];
  /** Tracked destinations, by position. */
  readonly urls: readonly string[];
  readonly possibleDuplicate: boolean;
  readonly outcomeUnknown: boolean;
  readonly providerId: string | null;
  /** The id that its `sent` event must have; null when it was not sent. */
  readonly sentEventId: string | null;
  readonly opens: number;
  readonly clicks: number;
  /** Clicks of its links, by position; links that were never clicked may lack. */
  readonly clicksByPosition: Readonly<Record<string, number>>;
  readonly machineOpens: number;
  readonly machineClicks: number;
  readonly machineClicksByPosition: Readonly<Record<string, number>>;
  /** Opens and clicks by machines, by the position of their class in `ENGAGEMENT_CLASSES`. */
  readonly machines: Readonly<Record<string, number>>;
  /** Whether it counts among the unique opens and clicks of its campaign. */
  readonly personOpened: boolean;
  readonly personClicked: boolean;
}

/** A row of `events`: one per event and contact. */
export interface StoredEvent {
  readonly id: string;
  readonly ordinal: number;
  readonly type: string;
  readonly emailId: string;
  readonly contact: string;
  readonly position: number | null;
  readonly url: string | null;
  /** ISO 8601 in UTC with milliseconds. */
  readonly at: string;
  /** A position in `VERDICTS`. */
  readonly verdict: number;
}

export interface StoredContact {
  /** In lower case. */
  readonly address: string;
  readonly emails: number;
  readonly opens: number;
  readonly clicks: number;
  readonly machineOpens: number;
  readonly machineClicks: number;
  /** Names of the campaigns that it is a member of. */
  readonly campaigns: readonly string[];
  /** IDs of its emails. */
  readonly emailIds: readonly string[];
}

export interface StoredCampaign {
  readonly name: string;
  readonly archived: boolean;
  readonly emails: number;
  readonly opens: number;
  readonly clicks: number;
  /** Clicks by destination. */
  readonly links: Readonly<Record<string, number>>;
  readonly machineOpens: number;
  readonly machineClicks: number;
  /** Clicks by machines, by destination. */
  readonly machineLinks: Readonly<Record<string, number>>;
  /** Opens and clicks by machines, by class. */
  readonly machines: Readonly<Record<string, number>>;
  readonly uniqueOpens: number;
  readonly uniqueClicks: number;
}

/** A complete request of ours that a provider received. */
export interface ProviderRequest {
  readonly emailId: string;
  /** Whether the provider took the email, `refused` when it said that it never will. */
  readonly outcome: 'accepted' | 'refused' | 'other';
  /** The name that the provider gave it, if it could say so. */
  readonly providerId?: string;
  /** Undefined where the stub does not read the message. */
  readonly message?: Omit<Message, 'campaign' | 'urls'> & { readonly html: string; readonly messageId: string };
}

/** A webhook that the receiver answered 2xx. */
export interface DeliveredWebhook {
  readonly id: string;
  readonly type: string;
  readonly body: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Whether its signature is that of the organization's secret. */
  readonly isSigned: boolean;
}
