import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { ContactsController } from './contacts.controller.js';
import { ContactSearch } from './contact-search.js';
import { ContactTimelines } from './contact-timeline.js';
import { Contacts } from './contacts.js';
import { ContactErasures } from './erasure/contact-erasures.js';
import { PersonExports } from './erasure/export-person.js';
import { ErasureModule } from './erasure/erasure.module.js';

@Module({
  imports: [OrganizationsModule, ErasureModule],
  controllers: [ContactsController],
  providers: [Contacts, ContactSearch, ContactTimelines, ContactErasures, PersonExports],
})
export class ContactsModule {}
