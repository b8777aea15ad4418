import type { IncomingMessage, ServerResponse } from 'node:http';
import { perform, type ScriptedStep } from './scripted-responses.js';
import { Scripts } from './scripts.js';
import { StubServer } from './stub-server.js';

/** The HTTP API of a provider. It responds as scripted or as the provider usually does, and records every request. */
export abstract class ProviderStub<Request extends { readonly accepted: boolean }> {
  readonly scripts = new Scripts<ScriptedStep>();
  /** The complete requests, accepted or not. */
  readonly requests: Request[] = [];
  private readonly server = new StubServer((request, response) => void this.serve(request, response));

  async listen(): Promise<this> {
    await this.server.listen();
    return this;
  }

  get url(): string {
    return this.server.url;
  }

  get connectionsMade(): number {
    return this.server.connectionsMade;
  }

  get openConnections(): number {
    return this.server.openConnections;
  }

  close(): Promise<void> {
    return this.server.close();
  }

  /** Records a complete request and returns what the stub does with it. */
  protected abstract receive(
    request: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
  ): ScriptedStep | Promise<ScriptedStep>;

  /** True for a call without an email, which a provider refuses. It is not recorded. */
  protected hasNoEmail(_request: IncomingMessage, body: Buffer): boolean {
    return body.toString() === '{}';
  }

  /** Headers of a response whose body never ends. */
  protected get drippedHeaders(): Readonly<Record<string, string>> {
    return {};
  }

  protected get acceptedRequests(): Request[] {
    return this.requests.filter(({ accepted }) => accepted);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.scripts.take([], (step) => 'fault' in step && step.fault === 'reset-before-body')) {
      request.socket.resetAndDestroy();
      return;
    }
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks);
    const step = this.hasNoEmail(request, body)
      ? (this.scripts.take([]) ?? { status: 400, body: {} })
      : await this.receive(request, body, response);
    await perform(step, response, this.drippedHeaders);
  }
}
