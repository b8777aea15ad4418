import type { SendGridStub } from './sendgrid-stub.js';

/** Settings of a service that sends through the SendGrid stub. */
export function throughSendGrid({ url }: SendGridStub): Record<string, string> {
  return { DELIVERY_PROVIDER: 'sendgrid', SENDGRID_API_KEY: 'SG.test', SENDGRID_API_URL: url };
}
