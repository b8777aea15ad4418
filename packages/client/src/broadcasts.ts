import type {
  Broadcast,
  BroadcastList,
  BroadcastMessage,
  BroadcastRecipient,
  BroadcastSummary,
  ChangeBroadcast,
  CreateBroadcast,
  MissingVariables,
  SendBroadcast,
  TemplateRendering,
  UploadedRecipients,
  WaitingRecipient,
  WaitingRecipientList,
} from './api-types.js';
import { listOf } from './list-of.js';
import type { Pages } from './pages.js';
import { path } from './path.js';
import type { Query } from './query.js';
import { addResults, recipientPieces } from './recipient-pieces.js';
import { FILE_TIMEOUT_MS, type Upload } from './upload.js';
import type { CallOptions } from './call.js';
import type { Transport } from './transport.js';

/** Options of a call that sends a broadcast. */
export interface SendBroadcastOptions extends CallOptions {
  /** The version of the draft that is sent; without it, whatever is stored. */
  readonly version?: string;
}

/** `client.broadcasts` */
export class Broadcasts {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Broadcasts, newest first. */
  list(query?: Query<'listBroadcasts'>, options?: CallOptions): Pages<BroadcastSummary> {
    const call = { path: '/api/broadcasts', query, options };
    return listOf(this.#transport, call, (body: BroadcastList) => body.broadcasts);
  }

  /** Creates a draft. */
  create(broadcast: CreateBroadcast, options?: CallOptions): Promise<Broadcast> {
    return this.#transport.json({ method: 'POST', path: '/api/broadcasts', body: broadcast, options });
  }

  get(id: string, options?: CallOptions): Promise<Broadcast> {
    return this.#transport.json({ method: 'GET', path: path`/api/broadcasts/${id}`, options });
  }

  /**
   * Replaces everything of a draft except its recipients: a field that is left out loses its value. With the `version`
   * that was read, a 409 means that the draft has changed meanwhile.
   */
  change(id: string, broadcast: ChangeBroadcast, options?: CallOptions): Promise<Broadcast> {
    return this.#transport.json({
      method: 'PUT',
      path: path`/api/broadcasts/${id}`,
      body: broadcast,
      isRepeatable: true,
      options,
    });
  }

  message(id: string, options?: CallOptions): Promise<BroadcastMessage> {
    return this.#transport.json({ method: 'GET', path: path`/api/broadcasts/${id}/message`, options });
  }

  /** The message that the recipient `to` will get, without tracking. */
  preview(id: string, query?: Query<'previewBroadcast'>, options?: CallOptions): Promise<TemplateRendering> {
    return this.#transport.json({ method: 'GET', path: path`/api/broadcasts/${id}/preview`, query, options });
  }

  /** The variables for which recipients without an email have no value, so that their copies would have a gap. */
  missingVariables(id: string, options?: CallOptions): Promise<MissingVariables> {
    return this.#transport.json({ method: 'GET', path: path`/api/broadcasts/${id}/missing-variables`, options });
  }

  /** Recipients without an email yet, sorted by address. */
  recipients(id: string, query?: Query<'listBroadcastRecipients'>, options?: CallOptions): Pages<WaitingRecipient> {
    const call = { path: path`/api/broadcasts/${id}/recipients`, query, options };
    return listOf(this.#transport, call, (body: WaitingRecipientList) => body.recipients);
  }

  /** Deletes a draft. */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.#transport.json({ method: 'DELETE', path: path`/api/broadcasts/${id}`, options });
  }

  /**
   * Adds any number of recipients, from an array, a generator or a stream of them. They are sent in pieces, each of
   * which is retried separately, and are read no faster than the service accepts them. The result counts all of them;
   * `line` is the position of an invalid one, starting at 1. After an error, repeat the call: an address counts once.
   * What an attempt added whose response was lost counts as `repeated`.
   */
  async addRecipients(
    id: string,
    recipients: Iterable<BroadcastRecipient> | AsyncIterable<BroadcastRecipient>,
    options?: CallOptions,
  ): Promise<UploadedRecipients> {
    let total: UploadedRecipients = { added: 0, repeated: 0, suppressed: 0, invalidTotal: 0, invalid: [] };
    for await (const { before, text } of recipientPieces(recipients))
      total = addResults(total, await this.#upload(id, 'application/x-ndjson', text, options), before);
    return total;
  }

  /** Adds the rows of a CSV file: a column `to`, the others are variables. */
  addRecipientsFromCsv(id: string, csv: Upload, options?: CallOptions): Promise<UploadedRecipients> {
    return this.#upload(id, 'text/csv', csv, options);
  }

  /**
   * Begins at once, or at the `sendAt` of the broadcast. With the `version` that was read, a 409 means that the draft
   * has changed meanwhile.
   */
  send(id: string, options?: SendBroadcastOptions): Promise<Broadcast> {
    const version = options?.version;
    return this.#move(id, 'send', options, version === undefined ? undefined : { version });
  }

  /** Takes effect within a second. */
  pause(id: string, options?: CallOptions): Promise<Broadcast> {
    return this.#move(id, 'pause', options);
  }

  resume(id: string, options?: CallOptions): Promise<Broadcast> {
    return this.#move(id, 'resume', options);
  }

  /** Emails that no worker has begun to send are never sent. */
  cancel(id: string, options?: CallOptions): Promise<Broadcast> {
    return this.#move(id, 'cancel', options);
  }

  #move(id: string, name: string, options?: CallOptions, body?: SendBroadcast): Promise<Broadcast> {
    const route = path`/api/broadcasts/${id}/${name}`;
    return this.#transport.json({
      method: 'POST',
      path: route,
      ...(body && { body }),
      isRepeatable: true,
      // A broadcast that was started can have ended before the call is repeated.
      earlierResult: async (status) => {
        if (status !== 409 || !['send', 'resume'].includes(name)) return undefined;
        const broadcast = await this.get(id, options);
        const isOther = body?.version !== undefined && body.version !== broadcast.version;
        return broadcast.status === 'sent' && !isOther ? broadcast : undefined;
      },
      options,
    });
  }

  #upload(id: string, type: string, content: Upload, options?: CallOptions): Promise<UploadedRecipients> {
    return this.#transport.json({
      method: 'POST',
      path: path`/api/broadcasts/${id}/recipients`,
      upload: { type, content },
      isRepeatable: true,
      timeoutMs: FILE_TIMEOUT_MS,
      options,
    });
  }
}
