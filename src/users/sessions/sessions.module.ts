import { Module } from '@nestjs/common';
import { OwnPage } from '../sign-in/own-page.js';
import { SessionAuthenticator } from './session-authenticator.js';
import { SessionCookies } from './session-cookies.js';
import { Sessions } from './sessions.js';

/** Sessions and their lookups, which the check of every API request needs. */
@Module({
  providers: [OwnPage, SessionAuthenticator, SessionCookies, Sessions],
  exports: [OwnPage, SessionAuthenticator, SessionCookies, Sessions],
})
export class SessionsModule {}
