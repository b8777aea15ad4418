import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { ContactsController } from './contacts.controller.js';
import { ContactSearch } from './contact-search.js';
import { Contacts } from './contacts.js';

@Module({ imports: [OrganizationsModule], controllers: [ContactsController], providers: [Contacts, ContactSearch] })
export class ContactsModule {}
