/**
 * Everything observed about one organization, row by row: the requests and responses of its clients, the rows in
 * Postgres, and the records of the provider and webhook stubs. The invariants compare these with each other.
 */
export interface Observations {
  readonly sends: readonly ObservedSend[];
  readonly hits: readonly ObservedHit[];
  readonly archives: readonly ArchiveRequest[];
  /** Requests without a final response, each as a sentence. */
  readonly clientErrors: readonly string[];
  readonly stored: StoredRows;
  readonly providerRequests: readonly ProviderRequest[];
  readonly webhooks: readonly DeliveredWebhook[];
  /** The webhook events that the organization subscribed to. */
  readonly subscribedEvents: readonly string[];
  /** The number of attempts with an unknown outcome, by email ID. */
  readonly unknownOutcomes: ReadonlyMap<string, number>;
  /** Events that a scenario destroyed together with their only copy, by ID. */
  readonly destroyed: ReadonlySet<string>;
  /** Unexpected exits and leaked texts of processes, each as a sentence. */
  readonly processes: readonly string[];
}

/** The email that a client requests. Addresses are bare and in lower case. */
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
  /** Only in a 2xx. */
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

/** One email that a client sent, with its own idempotency key. */
export interface ObservedSend {
  readonly key: string;
  readonly message: Message;
  /** The service may have received attempts without a response, too. */
  readonly attempts: number;
  readonly responses: readonly SendResponse[];
  /** Calls of POST /api/emails/:id/retry that got a 200, and those that got a 503 or no response. */
  readonly retries: { readonly confirmed: number; readonly unconfirmed: number };
}

/** One open or click. */
export interface ObservedHit {
  readonly type: 'opened' | 'clicked';
  readonly trackingId: string;
  /** Only of a click. */
  readonly position?: number;
  readonly url?: string;
  /** The ID of the request and of its event; undefined without a response. */
  readonly id?: string;
}

/** A request to archive a campaign. Times are in milliseconds since the epoch. */
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
  /** The idempotency key of its request. */
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
  /** The ID that its `sent` event must have; null if it was not sent. */
  readonly sentEventId: string | null;
  readonly opens: number;
  readonly clicks: number;
  /** Clicks of its links, by position; links without a click may be missing. */
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

/** A complete request of the service that a provider received. */
export interface ProviderRequest {
  readonly emailId: string;
  /** `refused` if the provider will never accept this email. */
  readonly outcome: 'accepted' | 'refused' | 'other';
  /** The provider's ID of the email, if its response contained one. */
  readonly providerId?: string;
  /** Undefined where the stub does not read the message. */
  readonly message?: Omit<Message, 'campaign' | 'urls'> & { readonly html: string; readonly messageId: string };
}

/** A webhook to which the receiver responded 2xx. */
export interface DeliveredWebhook {
  readonly id: string;
  readonly type: string;
  readonly body: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Whether the organization's secret has signed it. */
  readonly isSigned: boolean;
}
