import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { promisify } from 'node:util';
import { OperatorError } from '../../platform/errors/operator-error.js';

/** A certificate with its chain, and its private key, in PEM. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

/** The files of a certificate, which are replaced when it is renewed. */
export class TlsFiles {
  private readAt = '';

  constructor(
    private readonly certificate: string,
    private readonly privateKey: string,
  ) {}

  /** @returns undefined while the files are the same as at the last call. @throws OperatorError */
  async readIfChanged(): Promise<TlsIdentity | undefined> {
    const { certificate, privateKey } = this;
    try {
      const times = await Promise.all([certificate, privateKey].map(async (file) => (await stat(file)).mtimeMs));
      if (times.join() === this.readAt) return undefined;
      const [cert, key] = await Promise.all([readFile(certificate, 'utf8'), readFile(privateKey, 'utf8')]);
      // Refuses files that do not belong together, such as one that is renewed a moment before the other.
      createSecureContext({ cert, key });
      this.readAt = times.join();
      return { cert, key };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw new OperatorError(
        `The files of SUBMISSION_TLS_CERTIFICATE and SUBMISSION_TLS_KEY cannot be used: ${code ?? message}`,
      );
    }
  }
}

/** The first host name of a certificate, to which its clients connect; undefined if it has none, or only patterns. */
export function certificateNameOf({ cert }: TlsIdentity): string | undefined {
  const names = new X509Certificate(cert).subjectAltName?.split(', ') ?? [];
  const found = names.map((name) => /^DNS:([a-z\d][a-z\d.-]{0,252})$/i.exec(name)?.[1]);
  return found.find((name) => name !== undefined);
}

/** Types of the names in a certificate (RFC 5280, 4.2.1.6). */
const [DNS, IP] = [2, 7];
const LOOPBACK = ['127.0.0.1', '::1'].map((ip) => ({ type: IP, ip }));
/** A process makes a new one at each start. */
const VALID_DAYS = 3_650;

/**
 * For listeners that only this machine reaches. The library is installed for development only.
 * @throws OperatorError
 */
export async function selfSignedIdentity(hosts: readonly string[] = ['localhost']): Promise<TlsIdentity> {
  try {
    const { generate } = await import('selfsigned');
    const altNames = [...hosts.map((value) => ({ type: DNS, value })), ...LOOPBACK];
    const names = { name: 'subjectAltName', altNames };
    const options = { algorithm: 'sha256', keySize: 2048, days: VALID_DAYS, extensions: [names] };
    const { cert, private: key } = await promisify(generate)([{ name: 'commonName', value: 'localhost' }], options);
    return { cert, key };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      `Without SUBMISSION_TLS_CERTIFICATE and SUBMISSION_TLS_KEY, the role smtp needs development packages (${code ?? message})`,
    );
  }
}
