import aws4 from 'aws4';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The parts of a request that a signature covers, apart from its time. */
export interface SignedRequest {
  readonly host: string;
  readonly path: string;
  readonly region: string;
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body in hexadecimal. */
  readonly bodyHash: string;
}

/**
 * The headers that sign a POST to SES (AWS Signature Version 4).
 * @param now milliseconds since the epoch; AWS accepts a signature for five minutes
 */
export function signatureHeaders(
  { host, path, region, headers, bodyHash }: SignedRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  now: number,
): Record<string, string> {
  const own = {
    ...headers,
    Host: host,
    'X-Amz-Content-Sha256': bodyHash,
    'X-Amz-Date': new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  };
  const request = { host, path, region, service: 'ses', method: 'POST', headers: own };
  const signed = aws4.sign(request, {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
  });
  return Object.fromEntries(Object.entries(signed.headers ?? {}).map(([name, value]) => [name, String(value)]));
}
