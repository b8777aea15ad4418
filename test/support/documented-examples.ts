import type { ApiDocument, Json, Operation } from './api-document.js';
import type { Answer, TestClient } from './service.js';

/** Sends the examples of a description to its service. */
export class DocumentedExamples {
  constructor(
    private readonly document: ApiDocument,
    private readonly client: TestClient,
  ) {}

  /** Status and body are documented, and the body is as documented. */
  expectDocumented(op: Operation, answer: Answer<unknown>): void {
    expect(this.document.problemsOf(op, answer)).toEqual([]);
  }

  /** Sends what the document shows. @param values for parameters whose example is nobody's */
  send(op: Operation, values: Record<string, string> = {}, changed?: Json) {
    const content = changed
      ? { type: 'application/json', text: JSON.stringify(changed) }
      : this.document.exampleContent(op);
    const sent = op.parameters.filter(({ name }) => name !== 'cursor' || values.cursor !== undefined);
    const valueOf = ({ name, schema }: (typeof sent)[number]) => values[name] ?? String(schema.examples[0]);
    const parameters = (place: string) =>
      Object.fromEntries(sent.filter((one) => one.in === place).map((one) => [one.name, valueOf(one)]));
    const path = Object.entries(parameters('path')).reduce(
      (all, [name, value]) => all.replace(`{${name}}`, encodeURIComponent(value)),
      op.path,
    );
    return this.client.request(`${path}?${new URLSearchParams(parameters('query')).toString()}`, {
      method: op.method,
      headers: { ...parameters('header'), ...(content && { 'content-type': content.type }) },
      ...(content && { body: content.text }),
    });
  }
}
