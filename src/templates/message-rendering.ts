import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../platform/clock/clock.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { EmailHtml } from '../emails/accept/html-content.js';
import { RenderBudget } from '../organizations/budgets/render-budget.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import type { Variables } from '../rendering/liquid/liquid-template.js';
import type { VariablePath } from '../rendering/liquid/unguarded-variables.js';
import { requesterFor } from '../rendering/fair-queue.js';
import { isMjml } from '../rendering/mjml.js';
import type { MessageRequest } from '../rendering/personalize/message-tasks.js';
import type { MessageSource, RenderedMessage } from '../rendering/personalize/message-template.js';
import { RenderingPool } from '../rendering/rendering-pool.js';
import { orMessageProblem } from './message-problem.js';
import type { TemplateRendering } from './template-view.js';

/** A message as a client writes it. */
export interface MessageFields {
  readonly subject: string;
  /** HTML or MJML. Absent for a message of text alone. */
  readonly htmlContent?: string | null | undefined;
  readonly textContent?: string | null | undefined;
}

/** A message whose templates parse. */
export interface CheckedMessage {
  readonly source: MessageSource;
  /** The names of the variables that it reads, except the one that we fill in. */
  readonly variables: readonly string[];
}

/** The error for a subject with the address of the unsubscribe page, or with a place for it. */
export function unsubscribeInSubject(): InvalidFieldError {
  const problem = `must not use ${UNSUBSCRIBE_VARIABLE}: only the HTML and the text can have the address of the unsubscribe page`;
  return new InvalidFieldError('subject', problem);
}

/** We fill this variable in with the address of the recipient's unsubscribe page. */
const UNSUBSCRIBE_VARIABLE = 'unsubscribe_url';

/** Lists of templates return the names: with a long one in each template, one list would fill the memory. */
const MAX_NAMES_LENGTH = 10_000;

/** Checks messages with variables, and fills them in, for clients of the API. */
@Injectable()
export class MessageRendering {
  constructor(
    private readonly pool: RenderingPool,
    private readonly html: EmailHtml,
    private readonly budget: RenderBudget,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Checks a message to be stored with the names of its variables. @throws as `check` */
  async checkTemplate(caller: Caller, template: MessageFields): Promise<CheckedMessage> {
    const checked = await this.check(caller, template);
    if (checked.variables.join('').length > MAX_NAMES_LENGTH) {
      const problem = `and the other fields read variables whose names have more than ${MAX_NAMES_LENGTH} characters together`;
      throw new InvalidFieldError('htmlContent', problem);
    }
    return checked;
  }

  /**
   * Compiles MJML and parses the templates of a message that is sent later.
   * @throws InvalidFieldError with line and column, TooManyRenderingsError
   */
  async check(caller: Caller, message: MessageFields): Promise<CheckedMessage> {
    const checked = await this.parse(caller, message);
    this.html.requireAllWords(message.htmlContent ?? '');
    return checked;
  }

  private async parse(
    caller: Caller,
    { subject, htmlContent = null, textContent = null }: MessageFields,
  ): Promise<CheckedMessage> {
    await this.requireNoAddressIn(caller, subject);
    // Parses the source, because compiled MJML has different line numbers.
    const written = { subject, html: htmlContent, text: textContent };
    const variables = await this.checkSource(caller, written);
    const kept = variables.filter((name) => name !== UNSUBSCRIBE_VARIABLE);
    if (htmlContent === null || !isMjml(htmlContent)) return { source: written, variables: kept };
    const source = { ...written, html: await this.html.read(caller, htmlContent) };
    await this.checkSource(caller, source);
    return { source, variables: kept };
  }

  /**
   * Refuses a subject that uses the address of the unsubscribe page: a subject is no link, and lists and webhooks show
   * it to others than the recipient.
   * @throws InvalidFieldError, TooManyRenderingsError
   */
  async requireNoAddressIn(caller: Caller, subject: string): Promise<void> {
    if (!subject.includes(UNSUBSCRIBE_VARIABLE)) return;
    const variables = await this.checkSource(caller, { subject, html: null, text: null });
    if (variables.includes(UNSUBSCRIBE_VARIABLE)) throw unsubscribeInSubject();
  }

  /** Compiles MJML. HTML is parsed only when it is rendered. @throws InvalidFieldError, TooManyRenderingsError */
  async toSource(caller: Caller, message: MessageFields): Promise<MessageSource> {
    const { subject, htmlContent: html = null, textContent: text = null } = message;
    return html !== null && isMjml(html) ? (await this.parse(caller, message)).source : { subject, html, text };
  }

  /**
   * Fills in variables. Unknown ones are empty unless `strict` is true.
   * @throws InvalidFieldError, TooManyRenderingsError
   */
  async render(
    caller: Caller,
    source: MessageSource,
    variables: Variables,
    options: Pick<MessageRequest, 'strict' | 'isNew' | 'withText'>,
  ): Promise<RenderedMessage> {
    const request = { source, variables, now: this.clock.now(), ...options };
    return orMessageProblem(this.budget.spend(caller, (requester) => this.pool.renderMessage(request, requester)));
  }

  /** Fills in a message that may not be stored yet, for a preview. @throws as `check` and `render` */
  async previewDraft(
    caller: Caller,
    draft: MessageFields,
    variables: Variables,
    strict: boolean,
  ): Promise<TemplateRendering> {
    const { source } = await this.check(caller, draft);
    return this.preview(caller, source, variables, strict);
  }

  async preview(
    caller: Caller,
    source: MessageSource,
    variables: Variables,
    strict: boolean,
  ): Promise<TemplateRendering> {
    // We fill it in for each recipient. A preview has none.
    const all = { [UNSUBSCRIBE_VARIABLE]: '', ...variables };
    const { subject, html, text } = await this.render(caller, source, all, { strict, withText: true });
    return { subject, html: html ?? '', text: text ?? '' };
  }

  /**
   * The variables that leave a gap in the message when they are unknown, except the one that we fill in.
   * @throws InvalidFieldError, TooManyRenderingsError
   */
  async unguardedVariables(caller: Caller, source: MessageSource): Promise<readonly VariablePath[]> {
    const paths = await orMessageProblem(
      this.budget.spend(caller, (requester) => this.pool.unguardedVariables(source, requester)),
    );
    return paths.filter(([name]) => name !== UNSUBSCRIBE_VARIABLE);
  }

  /** HTML for a preview: its links lead nowhere. @throws InvalidFieldError, TooManyRenderingsError */
  deadenLinks(caller: Caller, html: string): Promise<string> {
    return orMessageProblem(this.pool.deadenLinks(html, requesterFor(caller)));
  }

  /**
   * Parses a message whose parts may come from a stored template, which was checked, or may be older than a check.
   * @throws InvalidFieldError, TooManyRenderingsError
   */
  async checkStored(caller: Caller, source: MessageSource): Promise<void> {
    await this.requireNoAddressIn(caller, source.subject);
    await this.checkSource(caller, source, false);
  }

  private checkSource(caller: Caller, source: MessageSource, isNew = true): Promise<readonly string[]> {
    return orMessageProblem(this.budget.spend(caller, (requester) => this.pool.checkMessage(source, requester, isNew)));
  }
}
