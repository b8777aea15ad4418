import { jest } from '@jest/globals';
import sendGrid, { type MailDataRequired, type MailService, type ResponseError } from '@sendgrid/mail';
import type { TestService } from '../../support/service.js';

/** The library as its users set it up: only the base address differs, which its types do not know. */
export function sendGridLibrary(service: TestService, apiKey: string): MailService {
  const { MailService } = sendGrid as unknown as { MailService: new () => MailService & { client: BaseUrlSetter } };
  const library = new MailService();
  // It warns about keys that do not begin as SendGrid's do, but sends them.
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  library.setApiKey(apiKey);
  warn.mockRestore();
  // Setting the key sets the address of SendGrid, so ours comes after it.
  library.client.setDefaultRequest('baseUrl', service.address);
  return library;
}

interface BaseUrlSetter {
  setDefaultRequest(name: 'baseUrl', value: string): void;
}

export const MESSAGE = {
  from: { email: 'ada@acme.example', name: 'Ada, of Acme' },
  to: 'reader@example.com',
  subject: 'The engine',
  html: '<p><a href="https://example.com/a">a</a></p>',
};

/** The refusal of a message, in the form of SendGrid. */
export async function refusalOf(library: MailService, fields: object): Promise<{ status: number; errors: unknown[] }> {
  try {
    await library.send({ ...MESSAGE, ...fields } as MailDataRequired);
  } catch (error) {
    const { code, response } = error as ResponseError;
    return { status: code, errors: (response.body as unknown as { errors: unknown[] }).errors };
  }
  throw new Error('The message was accepted');
}
