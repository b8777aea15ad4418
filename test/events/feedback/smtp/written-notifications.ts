/** A message with these header fields and lines, with CRLF line ends. */
export function mail(fields: Record<string, string>, ...body: string[]): Buffer {
  const header = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([...header, '', ...body].join('\n').replaceAll('\n', '\r\n'));
}

interface Part {
  readonly type: string;
  readonly body: string;
  readonly encoding?: string;
}

/** A message with several parts. */
export function multipart(type: string, fields: Record<string, string>, parts: readonly Part[]): Buffer {
  const boundary = 'part-of-a-report';
  const lines = parts.flatMap(({ type: partType, body, encoding }) => [
    `--${boundary}`,
    `Content-Type: ${partType}`,
    ...(encoding ? [`Content-Transfer-Encoding: ${encoding}`] : []),
    '',
    body,
  ]);
  const contentType = `multipart/${type}; boundary="${boundary}"`;
  return mail({ ...fields, 'MIME-Version': '1.0', 'Content-Type': contentType }, ...lines, `--${boundary}--`, '');
}

export const REPORT_FIELDS = {
  'Return-Path': '<>',
  From: 'Mail Delivery System <MAILER-DAEMON@mx.example.net>',
  'Auto-Submitted': 'auto-replied',
  Date: 'Sun, 22 Nov 2026 10:00:00 +0000 (UTC)',
  'Message-ID': '<20261122100000.4D1F@mx.example.net>',
  Subject: 'Undelivered Mail Returned to Sender',
};

const returned: Part = {
  type: 'text/rfc822-headers',
  body: 'From: shop@example.com\nTo: reader@example.net\nSubject: News\n',
};

/** A delivery status notification (RFC 3464) with these groups. */
export function deliveryStatus(...groups: string[]): Buffer {
  return multipart('report; report-type=delivery-status', REPORT_FIELDS, [
    { type: 'text/plain', body: 'I am sorry to have to inform you that your message could not be delivered.\n' },
    { type: 'message/delivery-status', body: ['Reporting-MTA: dns; mx.example.net\n', ...groups].join('\n') },
    returned,
  ]);
}

/** An abuse report (RFC 5965) with these fields about a message with this header. */
export function feedbackReport(fields: string, header: string = returned.body): Buffer {
  return multipart(
    'report; report-type=feedback-report',
    { ...REPORT_FIELDS, 'Return-Path': '<fbl@example.org>', From: 'fbl@example.org' },
    [
      { type: 'text/plain', body: 'This is an email abuse report.\n' },
      { type: 'message/feedback-report', body: `User-Agent: Feedback/1.0\nVersion: 1\n${fields}\n` },
      { type: 'message/rfc822', body: `${header}\nHello\n` },
    ],
  );
}
