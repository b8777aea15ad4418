import type { ApiDocument, Json, Operation } from './openapi/api-document.js';
import type { ApiResponse, TestClient } from './service.js';

/** Sends the documented examples to the service. */
export class DocumentedExamples {
  constructor(
    private readonly document: ApiDocument,
    private readonly client: TestClient,
  ) {}

  /** Expects that the status is documented and that the body matches its schema. */
  expectDocumented(op: Operation, response: ApiResponse<unknown>): void {
    expect(this.document.problemsOf(op, response)).toEqual([]);
  }

  /** Sends the documented example. @param values for parameters whose example does not exist */
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
