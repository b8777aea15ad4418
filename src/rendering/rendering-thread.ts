import { SigningKeys } from '../links/signing-keys.js';
import type { VariablePath } from './liquid/unguarded-variables.js';
import { deadenLinks, markLinks, type MarkedHtml } from './dead-links.js';
import type { MjmlOutcome } from './mjml-compiler.js';
import type { MessageOutcome } from './personalize/message-outcome.js';
import type { MessageRequest, SubjectsRequest } from './personalize/message-tasks.js';
import type { PersonalEmail, PersonalRequest } from './personalize/personalize-email.js';
import type { BatchRenderRequest, SubstitutedMessage } from './personalize/substitute-email.js';
import type { MessageSource, RenderedMessage } from './personalize/message-template.js';
import { renderEmail, type RenderedEmail, type RenderRequest } from './render-email.js';
import { markStart, type TaskStart } from './task-start.js';

/*
 * The code of the rendering threads. Messages between threads are plain data, so errors would lose their class.
 * Outcomes that the caller has to distinguish are therefore returned.
 */

interface Task {
  /** Set when the work starts. Waiting for a thread and loading its code do not count toward the time limit. */
  readonly start: TaskStart;
}

export interface RenderTask extends Task {
  readonly request: RenderRequest;
  readonly key: { readonly id: number; readonly secret: Uint8Array };
}

export interface DeadLinksTask extends Task {
  readonly html: string;
}

export interface MarkedLinksTask extends DeadLinksTask {
  readonly baseUrl: string;
}

export interface MjmlTask extends Task {
  readonly source: string;
}

export interface MessageTask extends Task {
  readonly request: MessageRequest;
}

export interface SubjectsTask extends Task {
  readonly request: SubjectsRequest;
}

export interface RecipientTask extends Task {
  readonly request: PersonalRequest;
  readonly key: RenderTask['key'];
}

export interface BatchTask extends Task {
  readonly request: BatchRenderRequest;
  readonly keys: readonly RenderTask['key'][];
}

export interface MessageCheckTask extends Task {
  readonly source: MessageSource;
  /** See `MessageRequest`. */
  readonly isNew?: boolean;
}

export function render({ request, key, start }: RenderTask): RenderedEmail {
  markStart(start);
  return renderEmail(request, keysOf(key));
}

export function deadenLinksOf({ html, start }: DeadLinksTask): string {
  markStart(start);
  return deadenLinks(html);
}

export function markLinksOf({ html, baseUrl, start }: MarkedLinksTask): MarkedHtml {
  markStart(start);
  return markLinks(html, baseUrl);
}

function keysOf(...keys: readonly RenderTask['key'][]): SigningKeys {
  return new SigningKeys(keys.map(({ id, secret }) => ({ id, secret: Buffer.from(secret) })));
}

export async function compileMjml({ source, start }: MjmlTask): Promise<MjmlOutcome> {
  // Imported lazily, because the compiler is large and threads that only render do not need it.
  const { compile } = await import('./mjml-compiler.js');
  markStart(start);
  return compile(source);
}

/** Code for messages with variables is also imported lazily: most threads never need it. */
export async function personalize({ request, start }: MessageTask): Promise<MessageOutcome<RenderedMessage>> {
  const { fillIn } = await import('./personalize/message-tasks.js');
  const { outcomeOf } = await import('./personalize/message-outcome.js');
  markStart(start);
  return outcomeOf(() => fillIn(request));
}

export async function renderSubjects({ request, start }: SubjectsTask): Promise<MessageOutcome<(string | null)[]>> {
  const { fillInSubjects } = await import('./personalize/message-tasks.js');
  const { outcomeOf } = await import('./personalize/message-outcome.js');
  markStart(start);
  return outcomeOf(() => fillInSubjects(request));
}

export async function renderForRecipient({
  request,
  key,
  start,
}: RecipientTask): Promise<MessageOutcome<PersonalEmail>> {
  const { personalizeEmail } = await import('./personalize/personalize-email.js');
  const { outcomeOf } = await import('./personalize/message-outcome.js');
  markStart(start);
  return outcomeOf(() => personalizeEmail(request, keysOf(key)));
}

export async function renderBatch({
  request,
  keys,
  start,
}: BatchTask): Promise<MessageOutcome<SubstitutedMessage | undefined>> {
  const { substituteEmails } = await import('./personalize/substitute-email.js');
  const { outcomeOf } = await import('./personalize/message-outcome.js');
  markStart(start);
  return outcomeOf(() => substituteEmails(request, keysOf(...keys)));
}

export async function checkMessage({
  source,
  isNew = true,
  start,
}: MessageCheckTask): Promise<MessageOutcome<string[]>> {
  const { readVariables } = await import('./personalize/message-tasks.js');
  const { outcomeOf } = await import('./personalize/message-outcome.js');
  markStart(start);
  return outcomeOf(() => readVariables(source, isNew));
}

export async function listUnguardedVariables({
  source,
  start,
}: MessageCheckTask): Promise<MessageOutcome<VariablePath[]>> {
  const { readUnguardedVariables } = await import('./personalize/message-tasks.js');
  const { outcomeOf } = await import('./personalize/message-outcome.js');
  markStart(start);
  return outcomeOf(() => readUnguardedVariables(source));
}
