import { Module } from '@nestjs/common';
import { KeysController } from './keys.controller.js';
import { OrganizationsModule } from './organizations.module.js';

/** Key routes of the API. Separate from OrganizationsModule, which provides key lookups. */
@Module({ imports: [OrganizationsModule], controllers: [KeysController] })
export class KeysModule {}
