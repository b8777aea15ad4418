import { Injectable } from '@nestjs/common';
import { MessageContent, type WrittenMessage } from '../emails/accept/message-content.js';
import type { MessageHeaders } from '../emails/accept/message-headers.js';
import { requirePlainSubject } from '../emails/accept/plain-text.js';
import type { NewAttachment } from '../emails/attachments/attachment.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { MessageRendering } from '../templates/message-rendering.js';
import type { DecodedBroadcast } from './broadcast-requests.js';

/** The message of a draft. */
export interface DraftMessage extends WrittenMessage {
  readonly headers: MessageHeaders | null;
  /** Undefined if the request has none. */
  readonly attachments: readonly NewAttachment[] | undefined;
}

/** Reads the message of a new broadcast. It is always a template, even for recipients without variables. */
@Injectable()
export class BroadcastMessages {
  constructor(
    private readonly content: MessageContent,
    private readonly rendering: MessageRendering,
  ) {}

  /**
   * Compiles MJML, and stores nothing. A later version of the template does not change the broadcast.
   * @throws InvalidFieldError for an unknown template, or one that does not parse, TooManyRenderingsError
   */
  async read(caller: Caller, request: DecodedBroadcast): Promise<DraftMessage> {
    const { templateId, headers, attachments } = request;
    const message = await this.content.sourceOf(caller, request);
    const { subject, html: htmlContent, text: textContent } = message.source;
    requirePlainSubject(subject);
    if (templateId === undefined) await this.rendering.check(caller, { subject, htmlContent, textContent });
    else {
      await this.rendering.check(caller, { ...request, subject: request.subject ?? '' });
      await this.rendering.checkStored(caller, message.source);
    }
    return { ...message, headers, attachments };
  }
}
