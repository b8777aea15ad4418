import type { DeliveryProvider, Mailbox, OutgoingEmail } from '../../src/providers/provider.js';

/** How the server behaves for the next messages of an email. */
export type Situation =
  | 'refused'
  | 'try-later'
  | 'credential-refused'
  | 'cut-after-content'
  | 'silent-after-content'
  | 'drips-after-content'
  | 'silent-before-content';

/** A message as it arrived, decoded as by a mail program. */
export interface Arrival {
  readonly messageId: string;
  readonly from: Mailbox;
  readonly replyTo?: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  /** All its recipients, in any order. */
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly attachments: readonly ArrivedAttachment[];
  /** The message as it was sent, in latin1; absent where the service composes it. */
  readonly raw?: string;
}

export interface ArrivedAttachment {
  readonly filename: string;
  /** Without parameters. */
  readonly contentType: string;
  readonly disposition: string;
  readonly contentId: string | null;
  readonly bytes: Buffer;
}

/** A provider with a stub of its service. */
export interface Bench {
  readonly provider: DeliveryProvider;
  arrange(situation: Situation, email: OutgoingEmail): void;
  /** How the server behaves for everything; absent for SMTP, where an email is at risk only with its last byte. */
  arrangeForAll?(situation: Situation): void;
  /** Accepts everything again. */
  relent(): void;
  /** The accepted messages, oldest first. */
  arrivals(): Promise<readonly Arrival[]>;
  /** Everything that reached the service, accepted or not. */
  contacts(): number;
  /** The name of a recipient as it arrives; absent if every name stays. */
  readonly recipientName?: (name: string) => string;
  /** The name of the sender as it arrives; absent if every name stays. */
  readonly senderName?: (name: string) => string;
  /** The content of an empty file as it arrives; absent if it stays empty. */
  readonly emptyFile?: string;
  /** The types of the status and the returned message of a bounce as they arrive; absent if they keep theirs. */
  readonly bounceTypes?: readonly string[];
  /** True if a repeated attempt to the same recipients does not arrive, because the service knows it. */
  readonly sendsOnce?: boolean;
  /** How often an arranged situation has occurred. */
  situations(): number;
  openConnections(): number;
  /** The connections that the server has accepted so far. The provider may have two at a time. */
  connectionsMade(): number;
  /** The same provider, with no service at its address. */
  unreachable(): Promise<DeliveryProvider>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 60_000;

/** A deadline that only a hanging test reaches. @param timeoutMs for deliveries that may take longer */
export function longDeadline(timeoutMs = TIMEOUT_MS): AbortSignal {
  return AbortSignal.timeout(timeoutMs);
}

/** A claim that is granted. */
export const claimed = (): Promise<boolean> => Promise.resolve(true);
