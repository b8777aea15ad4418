import { Injectable } from '@nestjs/common';
import { MessageContent, type WrittenMessage } from '../emails/accept/message-content.js';
import { requirePlainSubject } from '../emails/accept/plain-text.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { MessageRendering } from '../templates/message-rendering.js';
import type { CreateBroadcastRequest } from './broadcast-requests.js';

/** Reads the message of a new broadcast. It is always a template, even for recipients without variables. */
@Injectable()
export class BroadcastMessages {
  constructor(
    private readonly content: MessageContent,
    private readonly rendering: MessageRendering,
  ) {}

  /**
   * Compiles MJML. A later version of the template does not change the broadcast.
   * @throws InvalidFieldError for an unknown template, or one that does not parse, TooManyRenderingsError
   */
  async read(caller: Caller, request: CreateBroadcastRequest): Promise<WrittenMessage> {
    const message = await this.content.sourceOf(caller, request);
    const { subject, html: htmlContent, text: textContent } = message.source;
    requirePlainSubject(subject);
    await this.rendering.check(caller, { subject, htmlContent, textContent });
    return message;
  }
}
