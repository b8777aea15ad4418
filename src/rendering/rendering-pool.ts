import type { VariablePath } from './liquid/unguarded-variables.js';
import { signingKeyOf } from '../links/email-tracking-id.js';
import { UnknownSigningKeyError } from '../links/link-token.js';
import type { SigningKeys } from '../links/signing-keys.js';
import { deadenLinks, markLinks, type MarkedHtml } from './dead-links.js';
import type { MjmlOutcome } from './mjml-compiler.js';
import { MjmlCompilations } from './mjml-compilations.js';
import type { Requester } from './fair-queue.js';
import { resultOf, type MessageOutcome } from './personalize/message-outcome.js';
import type { MessageRequest, SubjectsRequest } from './personalize/message-tasks.js';
import type { PersonalEmail, PersonalRequest } from './personalize/personalize-email.js';
import type { BatchRenderRequest, SubstitutedMessage } from './personalize/substitute-email.js';
import type { MessageSource, RenderedMessage } from './personalize/message-template.js';
import { ALWAYS_INLINE_LENGTH, InlineRendering } from './inline-rendering.js';
import { renderEmail, type RenderedEmail, type RenderRequest } from './render-email.js';
import type { RenderingMetrics } from './rendering-metrics.js';
import type {
  BatchTask,
  DeadLinksTask,
  MarkedLinksTask,
  MessageCheckTask,
  MessageTask,
  MjmlTask,
  RecipientTask,
  RenderTask,
  SubjectsTask,
} from './rendering-thread.js';
import { RenderingThreads } from './rendering-threads.js';
import type { ThreadLimits } from './thread-pool.js';

/** Renders emails and compiles MJML without blocking the event loop: large tasks run in threads. */
export class RenderingPool {
  private readonly threads: RenderingThreads;
  private readonly compilations = new MjmlCompilations((source, requester) => this.compile(source, requester));

  constructor(
    limits: Partial<ThreadLimits> = {},
    metrics?: RenderingMetrics,
    private readonly inline = new InlineRendering(),
  ) {
    this.threads = new RenderingThreads(limits, metrics);
  }

  /**
   * Like `renderEmail`, but in a thread if the HTML may take long, see `InlineRendering`.
   * @throws RenderingLimitError when rendering takes too much time or memory
   * @throws RenderingBusyError when the organization has too many waiting documents, RequesterGoneError
   * @throws UnknownSigningKeyError if the key of the tracking ID is not among `keys`
   */
  async render(request: RenderRequest, keys: SigningKeys, requester: Requester): Promise<RenderedEmail> {
    const { html } = request;
    if (html.length <= ALWAYS_INLINE_LENGTH) return renderEmail(request, keys);
    if (this.inline.suits(html)) return this.inline.run(() => renderEmail(request, keys), requester.charge);
    const key = signingKeyOf(keys, request.emailTrackingId);
    if (key === undefined) throw new UnknownSigningKeyError();
    const { id, secret } = key;
    const task: Omit<RenderTask, 'start'> = { request, key: { id, secret } };
    return this.threads.run<RenderedEmail>('render', task, html.length, requester);
  }

  /** Like `deadenLinks`, but in a thread if the HTML may take long. Throws as `compileMjml` does. */
  deadenLinks(html: string, requester: Requester): Promise<string> {
    const task: Omit<DeadLinksTask, 'start'> = { html };
    return this.scan('deadenLinksOf', task, html, () => deadenLinks(html), requester);
  }

  /** Like `markLinks`, but in a thread if the HTML may take long. Throws as `compileMjml` does. */
  markLinks(html: string, baseUrl: string, requester: Requester): Promise<MarkedHtml> {
    const task: Omit<MarkedLinksTask, 'start'> = { html, baseUrl };
    return this.scan('markLinksOf', task, html, () => markLinks(html, baseUrl), requester);
  }

  /**
   * Compiles MJML to HTML, see `MjmlCompilations`.
   * @throws InvalidMjmlError, RenderingLimitError, RenderingBusyError, RequesterGoneError
   */
  compileMjml(source: string, requester: Requester): Promise<string> {
    return this.compilations.compile(source, requester);
  }

  /**
   * Fills in the variables of a message, always in a thread: a short template can be as expensive as a long one.
   * @throws TemplateError, UnknownVariableError in strict mode
   * @throws RenderingLimitError when rendering takes too much time or memory, or the result is too long
   * @throws RenderingBusyError when the organization has too many waiting documents, RequesterGoneError
   */
  async renderMessage(request: MessageRequest, requester: Requester): Promise<RenderedMessage> {
    const task: Omit<MessageTask, 'start'> = { request };
    const length = lengthOf(request.source) + JSON.stringify(request.variables).length;
    return resultOf(await this.threads.run<MessageOutcome<RenderedMessage>>('personalize', task, length, requester));
  }

  /**
   * Fills in the subject of a broadcast for some of its recipients, in one task.
   * @returns null for a recipient whose variables give no subject
   * @throws TemplateError, RenderingLimitError, RenderingWaitError
   */
  async renderSubjects(request: SubjectsRequest, requester: Requester): Promise<(string | null)[]> {
    const task: Omit<SubjectsTask, 'start'> = { request };
    const length = request.subject.length + JSON.stringify(request.variables).length;
    return resultOf(
      await this.threads.run<MessageOutcome<(string | null)[]>>('renderSubjects', task, length, requester),
    );
  }

  /**
   * Creates the email of one recipient of a broadcast, always in a thread.
   * @throws TemplateError, RenderingLimitError, UnknownSigningKeyError
   */
  async personalize(request: PersonalRequest, keys: SigningKeys, requester: Requester): Promise<PersonalEmail> {
    const key = signingKeyOf(keys, request.emailTrackingId);
    if (key === undefined) throw new UnknownSigningKeyError();
    const task: Omit<RecipientTask, 'start'> = { request, key: { id: key.id, secret: key.secret } };
    const length = lengthOf(request.source);
    return resultOf(
      await this.threads.run<MessageOutcome<PersonalEmail>>('renderForRecipient', task, length, requester),
    );
  }

  /**
   * Creates the emails of several recipients of one message, always in a thread. Undefined for a message whose emails
   * have to be created one by one.
   * @throws TemplateError, RenderingLimitError, UnknownSigningKeyError, RenderingWaitError
   */
  async personalizeBatch(
    request: BatchRenderRequest,
    keys: SigningKeys,
    requester: Requester,
  ): Promise<SubstitutedMessage | undefined> {
    const used = new Set(request.recipients.map(({ emailTrackingId }) => signingKeyOf(keys, emailTrackingId)));
    const known = [...used].filter((key) => key !== undefined);
    if (known.length < used.size) throw new UnknownSigningKeyError();
    const task: Omit<BatchTask, 'start'> = { request, keys: known.map(({ id, secret }) => ({ id, secret })) };
    const length = lengthOf(request.source);
    return resultOf(
      await this.threads.run<MessageOutcome<SubstitutedMessage | undefined>>('renderBatch', task, length, requester),
    );
  }

  /**
   * Parses a message. Returns the names of the variables that it reads.
   * @param isNew see `MessageRequest`
   * @throws TemplateError, RenderingLimitError, RenderingBusyError, RequesterGoneError
   */
  async checkMessage(source: MessageSource, requester: Requester, isNew = true): Promise<string[]> {
    const task: Omit<MessageCheckTask, 'start'> = { source, isNew };
    return resultOf(
      await this.threads.run<MessageOutcome<string[]>>('checkMessage', task, lengthOf(source), requester),
    );
  }

  /** Returns those that leave a gap in the message when they are unknown. Throws as `checkMessage` does. */
  async unguardedVariables(source: MessageSource, requester: Requester): Promise<VariablePath[]> {
    const task: Omit<MessageCheckTask, 'start'> = { source };
    return resultOf(
      await this.threads.run<MessageOutcome<VariablePath[]>>(
        'listUnguardedVariables',
        task,
        lengthOf(source),
        requester,
      ),
    );
  }

  async close(): Promise<void> {
    await this.threads.close();
  }

  private compile(source: string, requester: Requester): Promise<MjmlOutcome> {
    const task: Omit<MjmlTask, 'start'> = { source };
    return this.threads.run<MjmlOutcome>('compileMjml', task, source.length, requester);
  }

  private async scan<Result>(
    name: string,
    task: object,
    html: string,
    inline: () => Result,
    requester: Requester,
  ): Promise<Result> {
    if (html.length <= ALWAYS_INLINE_LENGTH) return inline();
    if (this.inline.suits(html)) return this.inline.run(inline, requester.charge);
    return this.threads.run<Result>(name, task, html.length, requester);
  }
}

function lengthOf({ subject, html, text }: MessageSource): number {
  return subject.length + (html?.length ?? 0) + (text?.length ?? 0);
}
