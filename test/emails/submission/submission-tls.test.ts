import { writeFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { selfSignedIdentity, TlsFiles } from '../../../src/emails/submission/submission-tls.js';
import { OperatorError } from '../../../src/platform/errors/operator-error.js';
import { inTemporaryDirectory } from '../../support/temporary-directory.js';

/** @param at time of the change, in seconds since the Unix epoch */
function write(file: string, text: string, at: number): void {
  writeFileSync(file, text);
  utimesSync(file, at, at);
}

it('a certificate is read again once both of its files are renewed, and not between', async () => {
  await inTemporaryDirectory(async (directory) => {
    const [first, second] = [await selfSignedIdentity(), await selfSignedIdentity()];
    const [certificate, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
    write(certificate, first.cert, 1);
    write(key, first.key, 1);
    const files = new TlsFiles(certificate, key);
    expect(await files.readIfChanged()).toEqual(first);
    expect(await files.readIfChanged()).toBeUndefined();
    write(certificate, second.cert, 2);
    await expect(files.readIfChanged()).rejects.toThrow(OperatorError);
    write(key, second.key, 2);
    expect(await files.readIfChanged()).toEqual(second);
    expect(await files.readIfChanged()).toBeUndefined();
  });
});
