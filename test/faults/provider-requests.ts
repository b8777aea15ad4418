import type { ProviderRequest } from './observations.js';
import type { Testbed } from './testbed/testbed.js';
import type { SendGridRequest } from '../support/sendgrid-stub.js';

/** The requests for some emails that the provider stubs received, SMTP first, each in order of arrival. */
export function readProviderRequests({ smtp, sendGrid }: Testbed, emailIds: ReadonlySet<string>): ProviderRequest[] {
  const bySmtp = smtp.received.map(({ emailId, accepted }): ProviderRequest => ({
    emailId,
    outcome: accepted ? 'accepted' : 'other',
  }));
  return [...bySmtp, ...sendGrid.requests.map(ofSendGrid)].filter(({ emailId }) => emailIds.has(emailId));
}

function ofSendGrid({ emailId, accepted, status, providerId, body }: SendGridRequest): ProviderRequest {
  const isRefused = status !== undefined && [400, 404, 413, 422].includes(status);
  const { to = [], cc = [], bcc = [] } = body.personalizations[0] ?? {};
  const addresses = (list: readonly { email: string }[]) => list.map(({ email }) => email.toLowerCase());
  return {
    emailId,
    outcome: accepted ? 'accepted' : isRefused ? 'refused' : 'other',
    ...(providerId !== undefined && { providerId }),
    message: {
      to: addresses(to),
      cc: addresses(cc),
      bcc: addresses(bcc),
      subject: body.subject,
      html: body.content.find(({ type }) => type === 'text/html')?.value ?? '',
      messageId: body.headers?.['Message-ID'] ?? '',
    },
  };
}
