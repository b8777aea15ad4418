import { Global, Module } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../config/settings.js';
import { SecretBox } from './secret-box.js';

/** For the roles that store or use secrets. The other roles need no key. */
@Global()
@Module({
  providers: [{ provide: SecretBox, inject: [SETTINGS], useFactory: boxOf }],
  exports: [SecretBox],
})
export class EncryptionModule {}

function boxOf({ ENCRYPTION_KEYS }: RunSettings): SecretBox {
  if (!ENCRYPTION_KEYS) throw new Error('A role that needs ENCRYPTION_KEYS started without them');
  return new SecretBox(ENCRYPTION_KEYS);
}
