import { canPass, client, hasStatus } from './api';
import type { Broadcast, BroadcastMessage, ChangeBroadcast } from './types';

/** The fields of the form of a draft, all as text. */
export interface DraftFields {
  readonly name: string;
  readonly from: string;
  readonly replyTo: string;
  readonly subject: string;
  readonly htmlContent: string;
  readonly textContent: string;
  /** Emails per minute; empty for no limit. */
  readonly pace: string;
  /** ISO 8601; empty for at once. */
  readonly sendAt: string;
}

/** A draft as it is stored. */
export interface StoredDraft {
  readonly broadcast: Broadcast;
  readonly message: BroadcastMessage;
}

/** One after the other: if the draft changes in between, the older version makes the next save fail. */
export async function readDraft(id: string, signal?: AbortSignal): Promise<StoredDraft> {
  const broadcast = await client.broadcasts.get(id, { signal });
  return { broadcast, message: await client.broadcasts.message(id, { signal }) };
}

export function fieldsOf({ broadcast, message }: StoredDraft): DraftFields {
  const { name, from, replyTo, pace, sendAt } = broadcast;
  return {
    name,
    from,
    replyTo: replyTo ?? '',
    subject: message.subject,
    htmlContent: message.mjml ?? message.htmlContent ?? '',
    textContent: message.textContent ?? '',
    pace: pace === null ? '' : String(pace),
    sendAt: sendAt ?? '',
  };
}

/** Saves the fields of one draft, each time as a change of the version that it knows. */
export class DraftSaves {
  /** Fields that the service may have stored, because no response arrived. */
  private doubtful: string | undefined;

  constructor(private stored: StoredDraft) {}

  /**
   * @param fields as JSON
   * @throws MailbeaconError with the status 409 if somebody else has changed the draft
   */
  async save(fields: string): Promise<Broadcast> {
    // Otherwise a version that this form made itself could look like that of somebody else.
    if (this.doubtful !== undefined && this.doubtful !== fields) await this.settle(this.doubtful);
    return this.send(fields);
  }

  /** Sends the draft as it was saved last. Throws as `save` does. */
  async begin(): Promise<void> {
    const { id, version } = this.stored.broadcast;
    await client.broadcasts.send(id, { version });
  }

  /** True if somebody else has changed the draft since it was saved last. */
  async isOutdated(): Promise<boolean> {
    const { id, version } = this.stored.broadcast;
    return (await client.broadcasts.get(id)).version !== version;
  }

  /** Continues with a draft that was read again. */
  restart(stored: StoredDraft): void {
    this.stored = stored;
    this.doubtful = undefined;
  }

  private async settle(fields: string): Promise<void> {
    try {
      await this.send(fields);
    } catch (error) {
      if (canPass(error) || hasStatus(error, 409)) throw error;
      // They were refused, so they are not stored, and newer ones replace them.
    }
  }

  private async send(fields: string): Promise<Broadcast> {
    const request = requestOf(JSON.parse(fields) as DraftFields, this.stored);
    this.doubtful = fields;
    try {
      const broadcast = await client.broadcasts.change(this.stored.broadcast.id, request);
      this.stored = { ...this.stored, broadcast };
      this.doubtful = undefined;
      return broadcast;
    } catch (error) {
      if (!canPass(error)) this.doubtful = undefined;
      throw error;
    }
  }
}

/** Fields that the form does not have stay unchanged. */
function requestOf(fields: DraftFields, { broadcast, message }: StoredDraft): ChangeBroadcast {
  const { name, from, replyTo, subject, htmlContent, textContent, pace, sendAt } = fields;
  const { version, tags, campaignId } = broadcast;
  return {
    version,
    name,
    from,
    subject,
    ...(replyTo.trim() !== '' && { replyTo }),
    ...((htmlContent !== '' || textContent === '') && { htmlContent }),
    ...(textContent !== '' && { textContent }),
    ...(pace !== '' && { pace: Number(pace) }),
    ...(sendAt !== '' && { sendAt }),
    ...(message.headers && { headers: message.headers }),
    ...(tags.length > 0 && { tags }),
    ...(campaignId !== null && { campaignId }),
  };
}
