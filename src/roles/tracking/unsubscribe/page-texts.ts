import { ROMANCE_TEXTS } from './romance-texts.js';
import type { PageTexts } from './text-of-page.js';

export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl'] as const;
/** A language subtag of BCP 47. All of them are written from left to right. */
export type Language = (typeof LANGUAGES)[number];

export const PAGE_TEXTS: Readonly<Record<Language, PageTexts>> = {
  en: {
    offer: {
      heading: 'Unsubscribe?',
      text: '{sender} sends emails to {recipient}.',
      note: 'If you unsubscribe, this sender stops sending you newsletters and offers. Messages such as receipts and password resets may still arrive.',
    },
    unsubscribed: {
      heading: 'You are unsubscribed',
      text: '{sender} will no longer send newsletters and offers to {recipient}.',
      mistake: 'Was this a mistake?',
    },
    resubscribed: {
      heading: 'You are subscribed again',
      text: '{recipient} will get newsletters and offers from {sender} again.',
    },
    failed: { heading: 'Please try again', text: 'Your choice could not be saved. Please try again in a minute.' },
    invalid: {
      heading: 'This link does not work',
      text: 'The address is incomplete or was changed on its way. Please open the link in the email again, or copy it as a whole.',
    },
    blocked: {
      heading: 'This link is blocked',
      text: 'The operator of this service has stopped it because it may be harmful. You were not taken to its destination. If you do not know the sender, delete the email.',
    },
    buttons: { unsubscribe: 'Unsubscribe', resubscribe: 'Subscribe again' },
  },
  de: {
    offer: {
      heading: 'Abmelden?',
      text: '{sender} schickt E‑Mails an {recipient}.',
      note: 'Wenn Sie sich abmelden, schickt Ihnen dieser Absender keine Newsletter und Angebote mehr. Nachrichten wie Quittungen oder Links für ein neues Passwort können weiterhin kommen.',
    },
    unsubscribed: {
      heading: 'Sie sind abgemeldet',
      text: '{sender} schickt keine Newsletter und Angebote mehr an {recipient}.',
      mistake: 'War das ein Versehen?',
    },
    resubscribed: {
      heading: 'Sie sind wieder angemeldet',
      text: '{recipient} erhält wieder Newsletter und Angebote von {sender}.',
    },
    failed: {
      heading: 'Bitte versuchen Sie es noch einmal',
      text: 'Ihre Auswahl konnte nicht gespeichert werden. Bitte versuchen Sie es in einer Minute noch einmal.',
    },
    invalid: {
      heading: 'Dieser Link funktioniert nicht',
      text: 'Die Adresse ist unvollständig oder wurde unterwegs verändert. Bitte öffnen Sie den Link in der E-Mail noch einmal oder kopieren Sie ihn vollständig.',
    },
    blocked: {
      heading: 'Dieser Link ist gesperrt',
      text: 'Der Betreiber dieses Dienstes hat ihn gesperrt, weil er schädlich sein könnte. Sie wurden nicht weitergeleitet. Wenn Sie den Absender nicht kennen, löschen Sie die E‑Mail.',
    },
    buttons: { unsubscribe: 'Abmelden', resubscribe: 'Wieder anmelden' },
  },
  ...ROMANCE_TEXTS,
  nl: {
    offer: {
      heading: 'Afmelden?',
      text: '{sender} stuurt e-mails naar {recipient}.',
      note: 'Als u zich afmeldt, stuurt deze afzender u geen nieuwsbrieven en aanbiedingen meer. Berichten zoals bonnen of links voor een nieuw wachtwoord kunnen nog wel komen.',
    },
    unsubscribed: {
      heading: 'U bent afgemeld',
      text: '{sender} stuurt geen nieuwsbrieven en aanbiedingen meer naar {recipient}.',
      mistake: 'Was dit een vergissing?',
    },
    resubscribed: {
      heading: 'U bent weer aangemeld',
      text: '{recipient} ontvangt weer nieuwsbrieven en aanbiedingen van {sender}.',
    },
    failed: {
      heading: 'Probeer het opnieuw',
      text: 'Uw keuze kon niet worden opgeslagen. Probeer het over een minuut opnieuw.',
    },
    invalid: {
      heading: 'Deze link werkt niet',
      text: 'Het adres is onvolledig of onderweg gewijzigd. Open de link in de e-mail opnieuw of kopieer hem in zijn geheel.',
    },
    blocked: {
      heading: 'Deze link is geblokkeerd',
      text: 'De beheerder van deze dienst heeft hem geblokkeerd, omdat hij schadelijk kan zijn. U bent niet doorgestuurd. Verwijder de e-mail als u de afzender niet kent.',
    },
    buttons: { unsubscribe: 'Afmelden', resubscribe: 'Opnieuw aanmelden' },
  },
  pl: {
    offer: {
      heading: 'Zrezygnować z subskrypcji?',
      text: '{sender} wysyła wiadomości na adres {recipient}.',
      note: 'Po rezygnacji ten nadawca nie będzie już wysyłać newsletterów ani ofert. Wiadomości takie jak potwierdzenia zakupów lub zmiany hasła mogą nadal przychodzić.',
    },
    unsubscribed: {
      heading: 'Subskrypcja została anulowana',
      text: '{sender} nie będzie już wysyłać newsletterów ani ofert na adres {recipient}.',
      mistake: 'To była pomyłka?',
    },
    resubscribed: {
      heading: 'Subskrypcja została przywrócona',
      text: 'Na adres {recipient} znów będą przychodzić newslettery i oferty. Nadawca: {sender}.',
    },
    failed: { heading: 'Spróbuj ponownie', text: 'Nie udało się zapisać wyboru. Spróbuj ponownie za minutę.' },
    invalid: {
      heading: 'Ten link nie działa',
      text: 'Adres jest niepełny lub został zmieniony po drodze. Otwórz link z wiadomości jeszcze raz lub skopiuj go w całości.',
    },
    blocked: {
      heading: 'Ten link jest zablokowany',
      text: 'Operator tej usługi zablokował go, ponieważ może być szkodliwy. Nie nastąpiło przekierowanie. Jeśli nie znasz nadawcy, usuń wiadomość.',
    },
    buttons: { unsubscribe: 'Zrezygnuj z subskrypcji', resubscribe: 'Zapisz mnie ponownie' },
  },
};
