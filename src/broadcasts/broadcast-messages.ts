import { Injectable } from '@nestjs/common';
import { EmailHtml } from '../emails/accept/html-content.js';
import { requirePlainSubject } from '../emails/accept/plain-text.js';
import { renderingProblem } from '../emails/accept/rendering-problem.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { TemplateError, type TemplateField } from '../rendering/liquid/template-errors.js';
import type { MessageSource } from '../rendering/personalize/message-template.js';
import { RenderingPool } from '../rendering/rendering-pool.js';
import type { CreateBroadcastRequest } from './broadcast-requests.js';

const FIELDS: Record<TemplateField, string> = { subject: 'subject', html: 'htmlContent', text: 'textContent' };

/** Reads the message of a new broadcast. It is always a template, even for recipients without variables. */
@Injectable()
export class BroadcastMessages {
  constructor(
    private readonly html: EmailHtml,
    private readonly pool: RenderingPool,
  ) {}

  /** Compiles MJML. @throws InvalidFieldError for a template that does not parse, TooManyRenderingsError */
  async read(caller: Caller, request: CreateBroadcastRequest): Promise<MessageSource> {
    const { subject, htmlContent, textContent = null } = request;
    requirePlainSubject(subject);
    const html = htmlContent === undefined ? null : await this.html.read(caller, htmlContent);
    const source = { subject, html, text: textContent };
    try {
      await this.pool.checkMessage(source, { ...caller, mayBeRefused: true });
    } catch (error) {
      if (error instanceof TemplateError)
        throw new InvalidFieldError(FIELDS[error.field], `is no template: ${error.message}`);
      throw renderingProblem(error);
    }
    return source;
  }
}
