// Written by npm run docs from /openapi.json; a test keeps it true.
export interface paths {
    "/api/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Active keys without their secrets, newest first.
         *
         *     Needs the scope `read`.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Create an API key
         * @description Each limit that the request omits is copied from the key that makes the request. A key cannot create one that may do more.
         *
         *     Needs the scope `manage`.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description The key stops working everywhere within 5 seconds. A key may revoke itself.
         *
         *     Needs the scope `manage`.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List providers
         * @description Providers that the organization uses instead of those of the service.
         *
         *     Needs the scope `read`.
         */
        get: operations["listProviders"];
        put?: never;
        /**
         * Add a provider
         * @description Within seconds, mail from verified domains of the organization goes through its own providers, and no longer through those of the service. An organization can have 10 providers.
         *
         *     Needs the scope `manage`.
         */
        post: operations["createProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a provider
         * @description Needs the scope `read`.
         */
        get: operations["getProvider"];
        put?: never;
        post?: never;
        /**
         * Delete a provider
         * @description Within seconds, no mail goes through it any more. After the last one, mail goes through the providers of the service again.
         *
         *     Needs the scope `manage`.
         */
        delete: operations["deleteProvider"];
        options?: never;
        head?: never;
        /**
         * Change a provider
         * @description Fields that are absent stay as they are; null removes weight, perSecond or eventKey. Credentials are replaced as a whole. A change ends a pause, so that the provider is tried again within seconds.
         *
         *     Needs the scope `manage`.
         */
        patch: operations["changeProvider"];
        trace?: never;
    };
    "/api/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the usage of each budget
         * @description Requests beyond a budget get 429 with Retry-After if it renews, otherwise 403. The number of emails may lag by up to two seconds.
         *
         *     Needs the scope `read`.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/broadcasts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or search broadcasts
         * @description Newest first. Pages of a search may be empty: follow `next`.
         *
         *     Needs the scope `read`.
         */
        get: operations["listBroadcasts"];
        put?: never;
        /**
         * Create a broadcast
         * @description Creates a draft. Add its recipients, then send it.
         *
         *     Needs the scope `send`.
         */
        post: operations["createBroadcast"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/broadcasts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a broadcast with its progress
         * @description Needs the scope `read`.
         */
        get: operations["getBroadcast"];
        /**
         * Change a draft
         * @description Replaces everything except its recipients: a field that the request omits loses its value. Only the attachments stay if the request omits `attachments`; an empty list removes them. With the `version` that was read, the change is refused if another one was made meanwhile; a repeated request is done once.
         *
         *     Needs the scope `send`.
         */
        put: operations["changeBroadcast"];
        post?: never;
        /**
         * Delete a draft
         * @description Takes a minute for millions of recipients. A draft whose deletion broke off is `canceled`, and its deletion can be repeated.
         *
         *     Needs the scope `send`.
         */
        delete: operations["deleteBroadcast"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/broadcasts/{id}/recipients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List recipients without an email yet
         * @description Sorted by address. A recipient leaves the list when its email is created; `GET /api/emails` then lists that email. A page with about a megabyte of variables and metadata ends before its limit.
         *
         *     Needs the scope `read`.
         */
        get: operations["listBroadcastRecipients"];
        put?: never;
        /**
         * Add recipients to a broadcast
         * @description As JSON, or as a stream of any length: application/x-ndjson with one recipient on each line, or text/csv whose first row names the columns: `to`, and the variables. Recipients are stored as they arrive; an interrupted upload can be repeated. Recipients can be added until the broadcast starts.
         *
         *     Needs the scope `send`.
         */
        post: operations["addBroadcastRecipients"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/broadcasts/{id}/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a broadcast
         * @description Begins at once, or at `sendAt`. Each recipient gets a separate email with its own unsubscribe link. A repeated request changes nothing. With the `version` that was read, it is refused if the draft was changed meanwhile.
         *
         *     Needs the scope `send`.
         */
        post: operations["sendBroadcast"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/broadcasts/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a broadcast
         * @description Takes effect within a second. Emails that are being handed over are still sent.
         *
         *     Needs the scope `send`.
         */
        post: operations["pauseBroadcast"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/broadcasts/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a paused broadcast
         * @description Needs the scope `send`.
         */
        post: operations["resumeBroadcast"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/broadcasts/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a broadcast
         * @description Cannot be undone. Recipients without an email get none; emails that are being handed over are still sent.
         *
         *     Needs the scope `send`.
         */
        post: operations["cancelBroadcast"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/broadcasts/{id}/message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the message of a broadcast
         * @description Needs the scope `read`.
         */
        get: operations["getBroadcastMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/broadcasts/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what a recipient will get
         * @description Fills in the variables of a recipient without an email yet, without tracking. Sends nothing.
         *
         *     Needs the scope `read`.
         */
        get: operations["previewBroadcast"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/broadcasts/{id}/missing-variables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find variables that recipients lack
         * @description Counts recipients without an email yet whose copy would have a gap: the message uses a variable without a default value, and no condition tests it. Checks the first 100000 recipients by address, or fewer if that takes longer than 2 seconds.
         *
         *     Needs the scope `read`.
         */
        get: operations["findMissingVariables"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/campaigns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or search campaigns
         * @description Newest first; archived ones only with `archived=true`. Pages of a search may be empty: follow `next`.
         *
         *     Needs the scope `read`.
         */
        get: operations["listCampaigns"];
        put?: never;
        /**
         * Create a campaign
         * @description Needs the scope `manage`.
         */
        post: operations["createCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/campaigns/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a campaign
         * @description `limit` and `cursor` paginate the emails. The links have separate pages of at most 1,000: the Link header gives the next one as rel="next-links". `stats` always covers the whole campaign.
         *
         *     Needs the scope `read`.
         */
        get: operations["getCampaign"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/campaigns/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive a campaign
         * @description An archived campaign appears in the list only with `archived=true`, and accepts no new emails. Its statistics stay available.
         *
         *     Needs the scope `manage`.
         */
        post: operations["archiveCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read figures over time
         * @description One point for each interval of the range, oldest first, even if nothing happened in it. Each fact counts in the hour in which it happened, so points add up to `totals`. The range is extended to whole intervals in UTC; weeks begin on Monday. At most 1000 hours, 1000 days, 520 weeks or 120 months.
         *
         *     Needs the scope `read`.
         */
        get: operations["getStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or search contacts
         * @description Most recent activity first. The response is a bare array.
         *
         *     Needs the scope `read`.
         */
        get: operations["listContacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/contacts/{email}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a contact
         * @description Needs the scope `read`.
         */
        get: operations["getContact"];
        put?: never;
        post?: never;
        /**
         * Erase a person
         * @description Deletes the contact, its timeline, and every email that went to nobody else: recipients, subject, body, attachments, metadata and webhook deliveries. In emails to several recipients, `erased@erased.invalid` replaces the recipient, and the word `erased` the address in the subject, body, headers and metadata; they are still sent to the others. Queued and scheduled emails to this person alone are canceled. Totals of campaigns stay. Complaints and unsubscriptions stay as keyed hashes, so that no mail goes to the person by accident. A send after the request makes a new contact. The request itself works for at most two seconds, enough for a few thousand emails; 202 says that the rest continues in the background. Repeat the request to see whether it has ended: then the response is 404.
         *
         *     Needs the scope `manage`.
         */
        delete: operations["eraseContact"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/contacts/{email}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a person
         * @description Everything that is stored about a person, as one JSON document: the contact, suppressions, entries in broadcasts, every email with its content, reports about its delivery and webhooks, and opens and clicks. Other recipients of an email are left out. One export of an organization runs at a time.
         *
         *     Needs the scope `read`.
         */
        get: operations["exportContact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an email and track it
         * @description Stores the email, then waits for its delivery. If delivery takes more than 10 seconds, the response is 202 and delivery continues: its Location header points to the status of the email. An email with `sendAt` in the future gets a 202 with the status scheduled at once.
         *
         *     Needs the scope `send`.
         */
        post: operations["sendEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/send/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send many emails
         * @description Stores all of them in one transaction. A refused message has an error at its position in the response.
         *
         *     Needs the scope `send`.
         */
        post: operations["sendEmails"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/emails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List emails
         * @description Newest first. The last pages of a search have older emails that match only by subject. They may be empty: follow `next`.
         *
         *     Needs the scope `read`.
         */
        get: operations["listEmails"];
        put?: never;
        /**
         * Track an email that another provider sends
         * @description Sends nothing; the response contains the HTML with tracked links and the pixel.
         *
         *     Needs the scope `send`.
         */
        post: operations["trackEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/emails/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export emails
         * @description A CSV file with a header row and the matching emails, newest first. An apostrophe precedes a cell that a spreadsheet would run as a formula. One export of an organization runs at a time.
         *
         *     Needs the scope `read`.
         */
        get: operations["exportEmails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/emails/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an email
         * @description Needs the scope `read`.
         */
        get: operations["getEmail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Reschedule an email
         * @description Needs the scope `send`.
         */
        patch: operations["rescheduleEmail"];
        trace?: never;
    };
    "/api/emails/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a failed email
         * @description Queues the email again, and it counts for its campaign and contacts again. If the outcome of the first delivery is unknown, the email is marked as a possible duplicate.
         *
         *     Needs the scope `send`.
         */
        post: operations["retryEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/emails/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of an email
         * @description Newest first.
         *
         *     Needs the scope `read`.
         */
        get: operations["listEmailEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/emails/{id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List everything that happened to an email
         * @description Oldest first: attempts, reports about each recipient, opens, clicks, and webhook deliveries.
         *
         *     Needs the scope `read`.
         */
        get: operations["getEmailTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/emails/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the HTML or the text of an email
         * @description HTML to show in a frame: it has no pixel, its links lead nowhere, and nothing in it can run. Of a text-only email, it shows the text. The text is `text/plain`, with its links.
         *
         *     Needs the scope `read`.
         */
        get: operations["previewEmail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/emails/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an email
         * @description Works while the email is scheduled, or queued and no worker has begun to send it. It no longer counts for its campaign and contacts.
         *
         *     Needs the scope `send`.
         */
        post: operations["cancelEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/campaigns/{id}/click-map": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the clicks on the links of a campaign
         * @description Shows its newest email whose HTML is still stored. Emails of the same broadcast count by position, or, if they have more or fewer links, by destination; other emails where they have the same link at the same position.
         *
         *     Needs the scope `read`.
         */
        get: operations["getCampaignClickMap"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/emails/{id}/click-map": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the clicks on the links of an email
         * @description Needs the scope `read`.
         */
        get: operations["getEmailClickMap"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the sending state and the delivery rates
         * @description The state that bounces and complaints led to, the rates that it depends on, and whether the provider accepts mail. Rates divide hard bounces and complaints by the recipients whose email was sent. A bounce or complaint counts in the hour in which it arrives.
         *
         *     Needs the scope `read`.
         */
        get: operations["getSendingState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sending domains
         * @description Needs the scope `read`.
         */
        get: operations["listDomains"];
        put?: never;
        /**
         * Add a sending domain
         * @description The domain is pending until its ownership record is found: publish the records, then verify. An organization can add 30 domains an hour unless the operator sets another limit.
         *
         *     Needs the scope `manage`.
         */
        post: operations["createDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/domains/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a sending domain
         * @description The records show the result of the last check.
         *
         *     Needs the scope `read`.
         */
        get: operations["getDomain"];
        put?: never;
        post?: never;
        /**
         * Delete a sending domain
         * @description Within seconds, senders on the domain are rewritten again, including those of emails that are not sent yet.
         *
         *     Needs the scope `manage`.
         */
        delete: operations["deleteDomain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/domains/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a sending domain
         * @description Checks the DNS records now and returns the result. Verified domains are also checked every day. A domain can be verified 6 times a minute, and an organization can verify 60 times a minute.
         *
         *     Needs the scope `manage`.
         */
        post: operations["verifyDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tracking-domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tracking domains
         * @description Needs the scope `read`.
         */
        get: operations["listTrackingDomains"];
        put?: never;
        /**
         * Add a tracking domain
         * @description Publish the records, then verify. From 10 seconds later, the links, the pixel and the unsubscribe address of new emails begin with the domain that was verified last. The ownership record is not needed below a verified sending domain.
         *
         *     Needs the scope `manage`.
         */
        post: operations["createTrackingDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tracking-domains/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a tracking domain
         * @description The records show the result of the last check.
         *
         *     Needs the scope `read`.
         */
        get: operations["getTrackingDomain"];
        put?: never;
        post?: never;
        /**
         * Delete a tracking domain
         * @description New emails stop using it after 10 seconds. Earlier emails still link to it, so keep its alias.
         *
         *     Needs the scope `manage`.
         */
        delete: operations["deleteTrackingDomain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tracking-domains/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a tracking domain
         * @description Checks the DNS records now and returns the result. Verified domains are also checked every hour: while a record is missing, new emails do not use the domain. Limits as for sending domains.
         *
         *     Needs the scope `manage`.
         */
        post: operations["verifyTrackingDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/suppressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or search suppressed addresses
         * @description One entry per address, with its strongest reason and widest scope, newest first.
         *
         *     Needs the scope `read`.
         */
        get: operations["listSuppressions"];
        put?: never;
        /**
         * Suppress addresses
         * @description Adds the reason `manual`, so that the addresses get no mail at all. Other reasons stay.
         *
         *     Needs the scope `manage`.
         */
        post: operations["addSuppressions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/suppressions/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the suppression list
         * @description A CSV file with a header row. An apostrophe precedes a cell that a spreadsheet would run as a formula; an import removes it. One export of an organization runs at a time.
         *
         *     Needs the scope `read`.
         */
        get: operations["exportSuppressions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/suppressions/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import suppressed addresses
         * @description The first row names the columns: `address`, optionally `reason` (default manual) and `note`, each once; others are ignored. Rows are stored as they arrive; an import can be repeated. One import of an organization runs at a time.
         *
         *     Needs the scope `manage`.
         */
        post: operations["importSuppressions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/suppressions/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a suppressed address
         * @description Needs the scope `read`.
         */
        get: operations["getSuppression"];
        put?: never;
        post?: never;
        /**
         * Allow mail to an address again
         * @description Removes all reasons of the address. Its earlier soft bounces no longer count.
         *
         *     Needs the scope `manage`.
         */
        delete: operations["removeSuppression"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or search templates
         * @description A page with about a megabyte of names of variables ends before its limit.
         *
         *     Needs the scope `read`.
         */
        get: operations["listTemplates"];
        put?: never;
        /**
         * Create a template
         * @description A template that does not parse is 400; the error has the line and the column.
         *
         *     Needs the scope `manage`.
         */
        post: operations["createTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a template
         * @description Needs the scope `read`.
         */
        get: operations["getTemplate"];
        /**
         * Create a new version of a template
         * @description Accepted emails keep the version with which they were accepted. With the `version` that was read, the change is refused if the template was changed meanwhile, unless this change has been made already.
         *
         *     Needs the scope `manage`.
         */
        put: operations["changeTemplate"];
        post?: never;
        /**
         * Delete a template
         * @description Accepted emails keep their content.
         *
         *     Needs the scope `manage`.
         */
        delete: operations["deleteTemplate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/{id}/render": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Render a template
         * @description Fills in the variables, without tracking. Sends nothing.
         *
         *     Needs the scope `read`.
         */
        post: operations["renderTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a template
         * @description A page with about a megabyte of names of variables ends before its limit.
         *
         *     Needs the scope `read`.
         */
        get: operations["listTemplateVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/{id}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a version of a template
         * @description To restore it, save its content again: that creates a new version.
         *
         *     Needs the scope `read`.
         */
        get: operations["getTemplateVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/render": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Render a template that is not saved
         * @description Without tracking. A template that does not parse is 400; the error has the line and the column.
         *
         *     Needs the scope `read`.
         */
        post: operations["renderTemplateDraft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the HTML of a template
         * @description The HTML of the newest version, to show in a frame: its links lead nowhere, and nothing in it can run. To preview a draft, render it.
         *
         *     Needs the scope `read`.
         */
        get: operations["previewTemplate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Needs the scope `read`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description From now on, Mailbeacon posts the events to the URL. A new URL first gets a POST of the type ENDPOINT_CHALLENGE and must return `data.challenge` within 5 seconds, as text or as `{ "challenge": "…" }`, with a 2xx status. An organization can have 10 webhooks.
         *
         *     Needs the scope `manage`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description Needs the scope `read`.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description No more events are posted. Its deliveries are deleted in the background.
         *
         *     Needs the scope `manage`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change, disable or enable a webhook
         * @description While a webhook is disabled, no new deliveries are stored for it. Pending deliveries stay and are sent once it is enabled. A new URL first gets a POST of the type ENDPOINT_CHALLENGE and must return `data.challenge` within 5 seconds, as text or as `{ "challenge": "…" }`, with a 2xx status.
         *
         *     Needs the scope `manage`.
         */
        patch: operations["changeWebhook"];
        trace?: never;
    };
    "/api/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of a webhook
         * @description For 24 hours both secrets sign, the new one first. Then the old one is removed, and the secret can be replaced again.
         *
         *     Needs the scope `manage`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries of a webhook
         * @description Includes the attempts and the responses of the receiver. A page has at most 100 deliveries.
         *
         *     Needs the scope `read`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery with its request
         * @description Needs the scope `read`.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Posts an event of type WEBHOOK_TEST, regardless of the events of the webhook. The list of deliveries shows the result. The test is attempted once, immediately, even while the webhook is paused after failures. Its result neither ends the pause nor counts as a failure. A webhook can be tested 10 times a minute.
         *
         *     Needs the scope `manage`.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}/deliveries/{deliveryId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a delivery
         * @description Attempts the delivery immediately with the same ID and body, whether it is pending, failed or delivered. An open or a click that waits for its verdict keeps waiting. Ends the pause of a failing webhook. A test counts toward the limit of 10 a minute and does not end the pause.
         *
         *     Needs the scope `manage`.
         */
        post: operations["retryWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay missed deliveries
         * @description Resends all deliveries since a given time that failed or are waiting for a retry, except tests.
         *
         *     Needs the scope `manage`.
         */
        post: operations["replayWebhookDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed what
         * @description Newest first. Entries are never changed, and are deleted after a year unless the operator sets another time.
         *
         *     Needs the scope `read`.
         */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export who changed what
         * @description A file of any length, newest first: CSV with a header row, or one JSON object per line.
         *
         *     Needs the scope `read`.
         */
        get: operations["exportAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow changes live
         * @description Server-sent events (text/event-stream) about emails, opens and clicks, broadcasts and webhooks of the organization,
         *     within a second. Each has `type`, `at` and the IDs of the resources to read again, but no addresses and no content. Several changes of one resource may arrive as one event. The stream also contains the events `ready`, `refresh` (some messages are missing: read again what you show) and `paused` (no messages arrive until the next `ready`). With `Last-Event-ID` the stream continues after that event.
         *     The response ends after an hour, when the key or session ends, and when the process stops.
         *
         *     Needs the scope `read`.
         */
        get: operations["followChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * Key
         * @description An API key, without its secret
         */
        Key: {
            /** @description ID of the key: the part between its underscores */
            id: string;
            /** @description Name of the key */
            name: string | null;
            /** @description What the key may do */
            scopes: ("send" | "read" | "manage")[];
            /**
             * Format: date-time
             * @description Time from which the key no longer works; null means never
             */
            expiresAt: string | null;
            /** @description Domains that senders may have, with their subdomains; null allows all */
            allowedDomains: string[] | null;
            /** @description Networks of clients; null allows all */
            allowedAddresses: string[] | null;
            /** @description `operator`, or `key:` or `user:` and the ID of the key or user that created it */
            createdBy: string | null;
            /**
             * Format: date-time
             * @description Time of creation
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last use, to within a minute; null before the first
             */
            lastUsedAt: string | null;
            /**
             * Format: date-time
             * @description Time of revocation; null while the key is active
             */
            revokedAt: string | null;
        };
        /**
         * KeyList
         * @description A page of API keys
         */
        KeyList: {
            /** @description Keys, newest first */
            keys: components["schemas"]["Key"][];
        };
        /**
         * FieldProblem
         * @description An error in one field
         */
        FieldProblem: {
            /** @description Name of the field, parameter or header */
            field: string;
            /** @description Description of the error */
            message: string;
        };
        /**
         * CreateKey
         * @description A new API key
         */
        CreateKey: {
            /** @description Name of the key */
            name?: string;
            /** @description What the key may do */
            scopes?: ("send" | "read" | "manage")[];
            /**
             * Format: date-time
             * @description Time from which the key no longer works; null means never
             */
            expiresAt?: string | null;
            /** @description Domains that senders may have, with their subdomains; null allows all */
            allowedDomains?: string[] | null;
            /** @description Networks of clients; null allows all */
            allowedAddresses?: string[] | null;
        };
        /**
         * NewKey
         * @description An API key with its secret
         */
        NewKey: {
            /** @description ID of the key: the part between its underscores */
            id: string;
            /** @description Name of the key */
            name: string | null;
            /** @description What the key may do */
            scopes: ("send" | "read" | "manage")[];
            /**
             * Format: date-time
             * @description Time from which the key no longer works; null means never
             */
            expiresAt: string | null;
            /** @description Domains that senders may have, with their subdomains; null allows all */
            allowedDomains: string[] | null;
            /** @description Networks of clients; null allows all */
            allowedAddresses: string[] | null;
            /** @description `operator`, or `key:` or `user:` and the ID of the key or user that created it */
            createdBy: string | null;
            /**
             * Format: date-time
             * @description Time of creation
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last use, to within a minute; null before the first
             */
            lastUsedAt: string | null;
            /**
             * Format: date-time
             * @description Time of revocation; null while the key is active
             */
            revokedAt: string | null;
            /** @description The full key. Only this response contains it */
            key: string;
        };
        /**
         * Provider
         * @description A provider of the organization, without its secrets
         */
        Provider: {
            /** @description ID of the provider */
            id: string;
            /** @description Name of the provider, unique in the organization */
            name: string;
            /**
             * @description What the provider is; it cannot be changed
             * @enum {string}
             */
            type: "smtp" | "sendgrid" | "ses" | "postmark" | "mailgun" | "resend";
            /** @description Distinguishes accounts: the server of smtp, region and end of the access key of ses, domain of mailgun, message stream of postmark; otherwise null */
            account: string | null;
            /** @description Share of the mail, relative to the weights of the others; 0: only while no other is available. Null: providers without a weight are tried in the order of their creation */
            weight: number | null;
            /** @description Maximum number of emails per second; null: no limit */
            perSecond: number | null;
            /** @description Address to which the provider reports events; null without an event key */
            eventsUrl: string | null;
            /**
             * @description available; throttled: it asked for a pause; credential-refused: it refuses the credentials; failing: it leaves open whether it accepts emails; unknown: currently unknown
             * @enum {string}
             */
            state: "available" | "throttled" | "credential-refused" | "failing" | "unknown";
            /**
             * Format: date-time
             * @description When sending is tried again; null unless it is paused
             */
            pausedUntil: string | null;
            /**
             * Format: date-time
             * @description Time of creation
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last change
             */
            changedAt: string;
        };
        /**
         * ProviderList
         * @description A page of providers
         */
        ProviderList: {
            /** @description Providers, newest first */
            providers: components["schemas"]["Provider"][];
        };
        /**
         * SmtpCredentials
         * @description Credentials of an SMTP server
         */
        SmtpCredentials: {
            /** @description Address with user and password, which are required. The server must have a public address and port 25, 465, 587 or 2525 */
            url: string;
        };
        /**
         * SendGridCredentials
         * @description Credentials of SendGrid
         */
        SendGridCredentials: {
            /** @description API key with the permission mail.send */
            apiKey: string;
        };
        /**
         * SesCredentials
         * @description Credentials of Amazon SES
         */
        SesCredentials: {
            /** @description Region of the account */
            region: string;
            /** @description ID of the access key */
            accessKeyId: string;
            /** @description Secret of the access key */
            secretAccessKey: string;
            /** @description Token of temporary credentials */
            sessionToken?: string;
            /** @description Configuration set, which decides which events SES reports */
            configurationSet?: string;
        };
        /**
         * PostmarkCredentials
         * @description Credentials of Postmark
         */
        PostmarkCredentials: {
            /** @description Token of the server */
            serverToken: string;
            /** @description Message stream; the default one without it */
            messageStream?: string;
        };
        /**
         * MailgunCredentials
         * @description Credentials of Mailgun
         */
        MailgunCredentials: {
            /** @description API key that may send */
            apiKey: string;
            /** @description Domain in the account that sends */
            domain: string;
        };
        /**
         * ResendCredentials
         * @description Credentials of Resend
         */
        ResendCredentials: {
            /** @description API key that may send */
            apiKey: string;
        };
        /**
         * CreateProvider
         * @description A new provider
         */
        CreateProvider: {
            /** @description Name of the provider, unique in the organization */
            name: string;
            /**
             * @description What the provider is; it cannot be changed
             * @enum {string}
             */
            type: "smtp" | "sendgrid" | "ses" | "postmark" | "mailgun" | "resend";
            /** @description Exactly the fields of the type. They are stored encrypted, and no response contains them */
            credentials: components["schemas"]["SmtpCredentials"] | components["schemas"]["SendGridCredentials"] | components["schemas"]["SesCredentials"] | components["schemas"]["PostmarkCredentials"] | components["schemas"]["MailgunCredentials"] | components["schemas"]["ResendCredentials"];
            /** @description Share of the mail, relative to the weights of the others; 0: only while no other is available. Null: providers without a weight are tried in the order of their creation */
            weight?: number | null;
            /** @description Maximum number of emails per second; null: no limit */
            perSecond?: number | null;
            /** @description What verifies the calls to `eventsUrl`. sendgrid: verification key of the signed Event Webhook; mailgun: HTTP webhook signing key; postmark: `user:password` in the URL of the webhook; resend: signing secret; ses: ARN of the SNS topic; smtp: none. Several, at most 5, are separated by commas */
            eventKey?: string | null;
        };
        /**
         * ChangeProvider
         * @description What to change
         */
        ChangeProvider: {
            /** @description Name of the provider, unique in the organization */
            name?: string;
            /** @description Exactly the fields of the type. They are stored encrypted, and no response contains them */
            credentials?: components["schemas"]["SmtpCredentials"] | components["schemas"]["SendGridCredentials"] | components["schemas"]["SesCredentials"] | components["schemas"]["PostmarkCredentials"] | components["schemas"]["MailgunCredentials"] | components["schemas"]["ResendCredentials"];
            /** @description Share of the mail, relative to the weights of the others; 0: only while no other is available. Null: providers without a weight are tried in the order of their creation */
            weight?: number | null;
            /** @description Maximum number of emails per second; null: no limit */
            perSecond?: number | null;
            /** @description What verifies the calls to `eventsUrl`. sendgrid: verification key of the signed Event Webhook; mailgun: HTTP webhook signing key; postmark: `user:password` in the URL of the webhook; resend: signing secret; ses: ARN of the SNS topic; smtp: none. Several, at most 5, are separated by commas */
            eventKey?: string | null;
        };
        /**
         * EmailsPerDayUsage
         * @description Emails of this day in UTC, each counted once per recipient
         */
        EmailsPerDayUsage: {
            /** @description Units used so far */
            used: number;
            /** @description What the plan allows; null means no limit */
            limit: number | null;
            /**
             * Format: date-time
             * @description When it renews; null if it does not
             */
            renewsAt: string | null;
        };
        /**
         * StoredBytesUsage
         * @description Bytes of stored content and attachments, measured once a day
         */
        StoredBytesUsage: {
            /** @description Units used so far */
            used: number;
            /** @description What the plan allows; null means no limit */
            limit: number | null;
            /**
             * Format: date-time
             * @description When it renews; null if it does not
             */
            renewsAt: string | null;
        };
        /**
         * RenderSecondsUsage
         * @description Seconds of rendering for requests of this minute
         */
        RenderSecondsUsage: {
            /** @description Units used so far */
            used: number;
            /** @description What the plan allows; null means no limit */
            limit: number | null;
            /**
             * Format: date-time
             * @description When it renews; null if it does not
             */
            renewsAt: string | null;
        };
        /**
         * EventsPerEmailUsage
         * @description Individually stored opens and clicks in this minute of the busiest email; 0 below half of the limit
         */
        EventsPerEmailUsage: {
            /** @description Units used so far */
            used: number;
            /** @description What the plan allows; null means no limit */
            limit: number | null;
            /**
             * Format: date-time
             * @description When it renews; null if it does not
             */
            renewsAt: string | null;
        };
        /**
         * DomainsUsage
         * @description Sending domains
         */
        DomainsUsage: {
            /** @description Units used so far */
            used: number;
            /** @description What the plan allows; null means no limit */
            limit: number | null;
            /**
             * Format: date-time
             * @description When it renews; null if it does not
             */
            renewsAt: string | null;
        };
        /**
         * WebhooksUsage
         * @description Webhooks
         */
        WebhooksUsage: {
            /** @description Units used so far */
            used: number;
            /** @description What the plan allows; null means no limit */
            limit: number | null;
            /**
             * Format: date-time
             * @description When it renews; null if it does not
             */
            renewsAt: string | null;
        };
        /**
         * BudgetsUsage
         * @description The budgets by name
         */
        BudgetsUsage: {
            emailsPerDay: components["schemas"]["EmailsPerDayUsage"];
            storedBytes: components["schemas"]["StoredBytesUsage"];
            renderSecondsPerMinute: components["schemas"]["RenderSecondsUsage"];
            eventsPerEmailPerMinute: components["schemas"]["EventsPerEmailUsage"];
            domains: components["schemas"]["DomainsUsage"];
            webhooks: components["schemas"]["WebhooksUsage"];
        };
        /**
         * Usage
         * @description Usage of an organization
         */
        Usage: {
            /** @description Plan of the organization */
            plan: string;
            budgets: components["schemas"]["BudgetsUsage"];
        };
        /**
         * BroadcastProgress
         * @description Progress; `total` is the sum of the five counts below
         */
        BroadcastProgress: {
            /** @description Recipients */
            total: number;
            /** @description Recipients whose email is not final */
            queued: number;
            /** @description Emails that the provider accepted */
            sent: number;
            /** @description Emails that failed for good */
            failed: number;
            /** @description Recipients that got no email because they were suppressed */
            suppressed: number;
            /** @description Recipients that got no email because the broadcast was canceled */
            canceled: number;
            /** @description Current emails per second; 0 unless it is sending */
            perSecond: number;
            /** @description Seconds until all emails are final, at this rate; null when unknown */
            etaSeconds: number | null;
        };
        /**
         * BroadcastSummary
         * @description A broadcast in a list
         */
        BroadcastSummary: {
            /** @description ID of the broadcast */
            id: string;
            /** @description Changes with every change of the draft */
            version: string;
            /** @description Name; its campaign gets the same name unless the request names another one */
            name: string;
            /**
             * @description Status of the broadcast
             * @enum {string}
             */
            status: "draft" | "scheduled" | "sending" | "paused" | "sent" | "canceled";
            /** @description Requested sender */
            from: string;
            /** @description Address that replies go to, or null */
            replyTo: string | null;
            /** @description Subject line, in Liquid */
            subject: string;
            /** @description Tags of its emails */
            tags: string[];
            /** @description Campaign of its emails; null for a draft without one */
            campaignId: string | null;
            /** @description Maximum number of emails per minute; no limit without it */
            pace: number | null;
            /**
             * Format: date-time
             * @description When sending begins; null for at once
             */
            sendAt: string | null;
            /**
             * Format: date-time
             * @description When it continues if the budget of emails per day is used up; null while it does not wait
             */
            waitsUntil: string | null;
            /**
             * Format: date-time
             * @description Time of creation
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When its first emails were queued, or null
             */
            startedAt: string | null;
            /**
             * Format: date-time
             * @description When its last email became final or it was canceled, or null
             */
            endedAt: string | null;
            progress: components["schemas"]["BroadcastProgress"];
        };
        /**
         * BroadcastList
         * @description A page of broadcasts
         */
        BroadcastList: {
            /** @description Broadcasts, newest first */
            broadcasts: components["schemas"]["BroadcastSummary"][];
        };
        /**
         * NewAttachment
         * @description A file to send
         */
        NewAttachment: {
            /** @description Name of the file, without slashes */
            filename: string;
            /** @description The file in base64 */
            content: string;
            /** @description Media type; without it, we choose one by the name */
            contentType?: string;
            /** @description For an inline image, which the HTML shows as cid:<contentId> */
            contentId?: string;
        };
        /**
         * CreateBroadcast
         * @description A new broadcast; its subject, HTML and text are Liquid
         */
        CreateBroadcast: {
            /** @description Name; its campaign gets the same name unless the request names another one */
            name: string;
            /** @description Address, or Name <address> */
            from: string;
            /** @description Address that replies go to */
            replyTo?: string;
            /** @description Subject line, in Liquid. Required without templateId */
            subject?: string;
            /** @description HTML, or MJML whose root element is <mjml>; at most 5 MB. Required without textContent and templateId */
            htmlContent?: string;
            /** @description ID of a template: its subject, HTML and text are used where the request has none */
            templateId?: string;
            /** @description Text part that replaces the one derived from the HTML; at most 1 MB */
            textContent?: string;
            /** @description At most 20 headers of your own: X-…, References, In-Reply-To, Auto-Submitted, Precedence; printable ASCII */
            headers?: {
                [key: string]: unknown;
            };
            /** @description Files for every recipient. An update without them keeps those of the draft */
            attachments?: components["schemas"]["NewAttachment"][];
            /** @description At most 10 tags */
            tags?: string[];
            /** @description Name or ID of a campaign; a new name creates the campaign */
            campaignId?: string;
            /** @description Maximum number of emails per minute; no limit without it */
            pace?: number;
            /**
             * Format: date-time
             * @description When it begins; at once without it. At most 366 days ahead
             */
            sendAt?: string;
        };
        /**
         * PeopleStats
         * @description Opens and clicks by people
         */
        PeopleStats: {
            /** @description Opens by people */
            opens: number;
            /** @description Clicks by people */
            clicks: number;
            /** @description Emails that a person opened, each once */
            uniqueOpens: number;
            /** @description Emails in which a person clicked, each once */
            uniqueClicks: number;
            /** @description Unique opens per hundred emails, two decimals */
            openRate: number;
            /** @description Unique clicks per hundred emails, two decimals */
            clickRate: number;
        };
        /**
         * MachineClasses
         * @description Opens and clicks together, by the class of the machine
         */
        MachineClasses: {
            /** @description Fetched whether or not a person reads the email */
            prefetch: number;
            /** @description Previews of links in chats and social networks */
            preview: number;
            /** @description Security scanners */
            scanner: number;
            /** @description Scripts, libraries and crawlers */
            bot: number;
        };
        /**
         * MachineStats
         * @description Opens and clicks by machines; with those by people they add up to the totals
         */
        MachineStats: {
            /** @description Opens by machines */
            opens: number;
            /** @description Clicks by machines */
            clicks: number;
            byClass: components["schemas"]["MachineClasses"];
        };
        /**
         * Broadcast
         * @description One message to many recipients, with an email for each
         */
        Broadcast: {
            /** @description ID of the broadcast */
            id: string;
            /** @description Changes with every change of the draft */
            version: string;
            /** @description Name; its campaign gets the same name unless the request names another one */
            name: string;
            /**
             * @description Status of the broadcast
             * @enum {string}
             */
            status: "draft" | "scheduled" | "sending" | "paused" | "sent" | "canceled";
            /** @description Requested sender */
            from: string;
            /** @description Address that replies go to, or null */
            replyTo: string | null;
            /** @description Subject line, in Liquid */
            subject: string;
            /** @description Tags of its emails */
            tags: string[];
            /** @description Campaign of its emails; null for a draft without one */
            campaignId: string | null;
            /** @description Maximum number of emails per minute; no limit without it */
            pace: number | null;
            /**
             * Format: date-time
             * @description When sending begins; null for at once
             */
            sendAt: string | null;
            /**
             * Format: date-time
             * @description When it continues if the budget of emails per day is used up; null while it does not wait
             */
            waitsUntil: string | null;
            /**
             * Format: date-time
             * @description Time of creation
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When its first emails were queued, or null
             */
            startedAt: string | null;
            /**
             * Format: date-time
             * @description When its last email became final or it was canceled, or null
             */
            endedAt: string | null;
            progress: components["schemas"]["BroadcastProgress"];
            /**
             * CampaignStats
             * @description Totals of its campaign; null before it has one
             */
            stats: {
                /** @description Emails that were accepted and did not fail */
                totalEmails: number;
                /** @description Opens of all emails, by people and machines */
                totalOpens: number;
                /** @description Clicks in all emails, by people and machines */
                totalClicks: number;
                /** @description Opens per hundred emails, two decimals */
                openRate: number;
                /** @description Clicks per hundred emails, two decimals */
                clickRate: number;
                people: components["schemas"]["PeopleStats"];
                machines: components["schemas"]["MachineStats"];
                /** @description Recipients whose server accepted the email */
                delivered: number;
                /** @description Recipients whose server asked to retry later, even if the email was delivered afterwards */
                deferred: number;
                /** @description Recipients whose email bounced */
                bounced: number;
                /** @description Recipients who reported the email as spam */
                complained: number;
                /** @description Recipients who unsubscribed through the email and did not take it back */
                unsubscribed: number;
                /** @description Recipients that were left out because of a suppression list */
                suppressed: number;
            } | null;
        };
        /**
         * ChangeBroadcast
         * @description The new content of a draft; its subject, HTML and text are Liquid
         */
        ChangeBroadcast: {
            /** @description Name; its campaign gets the same name unless the request names another one */
            name: string;
            /** @description Address, or Name <address> */
            from: string;
            /** @description Address that replies go to */
            replyTo?: string;
            /** @description Subject line, in Liquid. Required without templateId */
            subject?: string;
            /** @description HTML, or MJML whose root element is <mjml>; at most 5 MB. Required without textContent and templateId */
            htmlContent?: string;
            /** @description ID of a template: its subject, HTML and text are used where the request has none */
            templateId?: string;
            /** @description Text part that replaces the one derived from the HTML; at most 1 MB */
            textContent?: string;
            /** @description At most 20 headers of your own: X-…, References, In-Reply-To, Auto-Submitted, Precedence; printable ASCII */
            headers?: {
                [key: string]: unknown;
            };
            /** @description Files for every recipient. An update without them keeps those of the draft */
            attachments?: components["schemas"]["NewAttachment"][];
            /** @description At most 10 tags */
            tags?: string[];
            /** @description Name or ID of a campaign; a new name creates the campaign */
            campaignId?: string;
            /** @description Maximum number of emails per minute; no limit without it */
            pace?: number;
            /**
             * Format: date-time
             * @description When it begins; at once without it. At most 366 days ahead
             */
            sendAt?: string;
            /** @description The version that is changed: 409 if the draft has another one. Without it, any version is replaced */
            version?: string;
        };
        /**
         * BroadcastRecipient
         * @description A recipient
         */
        BroadcastRecipient: {
            /** @description Address, or Name <address>; an address counts once per broadcast */
            to: string;
            /** @description Values for the variables of the message; at most 10,000 bytes as JSON */
            variables?: {
                [key: string]: unknown;
            };
            /** @description Your own data, stored with the email; at most 10,000 bytes as JSON */
            metadata?: {
                [key: string]: unknown;
            };
        };
        /**
         * AddRecipients
         * @description Recipients
         */
        AddRecipients: {
            /** @description Recipients */
            recipients: components["schemas"]["BroadcastRecipient"][];
        };
        /**
         * InvalidRecipient
         * @description A recipient that is not stored
         */
        InvalidRecipient: {
            /** @description Line of the stream, or position in the list, starting at 1 */
            line: number;
            /** @description What is wrong */
            reason: string;
        };
        /**
         * UploadedRecipients
         * @description Result of adding the recipients
         */
        UploadedRecipients: {
            /** @description Recipients that will get an email */
            added: number;
            /** @description Recipients whose address the broadcast already had */
            repeated: number;
            /** @description Recipients that get no email because they are suppressed */
            suppressed: number;
            /** @description Recipients that are not stored */
            invalidTotal: number;
            /** @description The first invalid recipients, at most 100 */
            invalid: components["schemas"]["InvalidRecipient"][];
        };
        /**
         * WaitingRecipient
         * @description A recipient without an email
         */
        WaitingRecipient: {
            /** @description Address, or Name <address> */
            to: string;
            /** @description Values for the variables of the message, or null */
            variables: {
                [key: string]: unknown;
            } | null;
            /** @description Your own data, or null */
            metadata: {
                [key: string]: unknown;
            } | null;
            /** @description True if it gets no email because it was suppressed when it was added */
            suppressed: boolean;
        };
        /**
         * WaitingRecipientList
         * @description A page of recipients
         */
        WaitingRecipientList: {
            /** @description Recipients, sorted by address */
            recipients: components["schemas"]["WaitingRecipient"][];
        };
        /**
         * SendBroadcast
         * @description Which draft is sent
         */
        SendBroadcast: {
            /** @description The version that is sent: 409 if the draft has another one. Without it, any version is sent */
            version?: string;
        };
        /**
         * Attachment
         * @description A file that comes with an email
         */
        Attachment: {
            /** @description Name of the file, without slashes */
            filename: string;
            /** @description Media type; without it, we choose one by the name */
            contentType: string;
            /** @description For an inline image, which the HTML shows as cid:<contentId> */
            contentId: string | null;
            /** @description Size in bytes */
            size: number;
        };
        /**
         * BroadcastMessage
         * @description The message of a broadcast, in Liquid
         */
        BroadcastMessage: {
            /** @description Subject line */
            subject: string;
            /** @description HTML; MJML is compiled already. Null for plain text */
            htmlContent: string | null;
            /** @description Text part; null if it is derived from the HTML */
            textContent: string | null;
            /** @description Original MJML; null if the message was written as HTML */
            mjml: string | null;
            /** @description At most 20 headers of your own: X-…, References, In-Reply-To, Auto-Submitted, Precedence; printable ASCII */
            headers: {
                [key: string]: unknown;
            } | null;
            /** @description Attachments, without their contents */
            attachments: components["schemas"]["Attachment"][];
        };
        /**
         * TemplateRendering
         * @description A template with its variables filled in
         */
        TemplateRendering: {
            /** @description Subject line */
            subject: string;
            /** @description HTML */
            html: string;
            /** @description Text part */
            text: string;
        };
        /**
         * MissingVariable
         * @description A variable that some recipients lack
         */
        MissingVariable: {
            /** @description Name of the variable, or the path to a part of its value, such as `person.city` */
            name: string;
            /** @description How many of them have no value for it, or an empty one */
            recipients: number;
        };
        /**
         * MissingVariables
         * @description What recipients without an email lack
         */
        MissingVariables: {
            /** @description How many were checked, without suppressed ones */
            recipients: number;
            /** @description How many more were checked, and get no email: they were suppressed after they were added */
            suppressed: number;
            /** @description Variables that some of them lack, most missed first */
            variables: components["schemas"]["MissingVariable"][];
        };
        /**
         * Campaign
         * @description A campaign
         */
        Campaign: {
            /** @description ID of the campaign */
            id: string;
            /** @description Name; unique within the organization, trimmed, 1 to 200 characters */
            name: string;
            /**
             * Format: date-time
             * @description Time of creation
             */
            createdAt: string;
        };
        /**
         * CampaignList
         * @description A page of campaigns
         */
        CampaignList: {
            /** @description Campaigns, newest first */
            campaigns: components["schemas"]["Campaign"][];
        };
        /**
         * CreateCampaign
         * @description A new campaign
         */
        CreateCampaign: {
            /** @description Name; unique within the organization, trimmed, 1 to 200 characters */
            name: string;
        };
        /**
         * CampaignStats
         * @description Totals of the whole campaign
         */
        CampaignStats: {
            /** @description Emails that were accepted and did not fail */
            totalEmails: number;
            /** @description Opens of all emails, by people and machines */
            totalOpens: number;
            /** @description Clicks in all emails, by people and machines */
            totalClicks: number;
            /** @description Opens per hundred emails, two decimals */
            openRate: number;
            /** @description Clicks per hundred emails, two decimals */
            clickRate: number;
            people: components["schemas"]["PeopleStats"];
            machines: components["schemas"]["MachineStats"];
            /** @description Recipients whose server accepted the email */
            delivered: number;
            /** @description Recipients whose server asked to retry later, even if the email was delivered afterwards */
            deferred: number;
            /** @description Recipients whose email bounced */
            bounced: number;
            /** @description Recipients who reported the email as spam */
            complained: number;
            /** @description Recipients who unsubscribed through the email and did not take it back */
            unsubscribed: number;
            /** @description Recipients that were left out because of a suppression list */
            suppressed: number;
        };
        /**
         * CampaignLink
         * @description One destination in all emails of the campaign
         */
        CampaignLink: {
            /** @description Destination */
            url: string;
            /** @description Clicks */
            clicks: number;
            /** @description Clicks by people */
            people: number;
        };
        /**
         * RecipientStates
         * @description Number of recipients in each state that occurs
         */
        RecipientStates: {
            /** @description Recipients in the state pending */
            pending?: number;
            /** @description Recipients in the state sent */
            sent?: number;
            /** @description Recipients in the state deferred */
            deferred?: number;
            /** @description Recipients in the state failed */
            failed?: number;
            /** @description Recipients in the state suppressed */
            suppressed?: number;
            /** @description Recipients in the state canceled */
            canceled?: number;
            /** @description Recipients in the state delivered */
            delivered?: number;
            /** @description Recipients in the state bounced */
            bounced?: number;
            /** @description Recipients in the state complained */
            complained?: number;
        };
        /**
         * PeopleHits
         * @description Opens and clicks of this email by people
         */
        PeopleHits: {
            /** @description Opens */
            opens: number;
            /** @description Clicks */
            clicks: number;
        };
        /**
         * MachineHits
         * @description Opens and clicks of this email by machines
         */
        MachineHits: {
            /** @description Opens */
            opens: number;
            /** @description Clicks */
            clicks: number;
        };
        /**
         * CampaignEmail
         * @description An email of the campaign
         */
        CampaignEmail: {
            /** @description ID of the email */
            id: string;
            /** @description Short tracking ID of the email */
            trackingId: string;
            /** @description The addresses in to, joined by ", " */
            recipient: string;
            /** @description Subject line */
            subject: string;
            /**
             * @description Status of the email
             * @enum {string}
             */
            status: "queued" | "sending" | "sent" | "failed" | "tracked" | "scheduled" | "canceled";
            recipientStates: components["schemas"]["RecipientStates"];
            /**
             * Format: date-time
             * @description Time when the email was accepted
             */
            createdAt: string;
            /** @description Opens of this email */
            opens: number;
            /** @description Clicks in this email */
            clicks: number;
            people: components["schemas"]["PeopleHits"];
            machines: components["schemas"]["MachineHits"];
        };
        /**
         * CampaignDetail
         * @description A campaign with its figures
         */
        CampaignDetail: {
            /** @description ID of the campaign */
            id: string;
            /** @description Name; unique within the organization, trimmed, 1 to 200 characters */
            name: string;
            /**
             * Format: date-time
             * @description Time of creation
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time when it was archived; null while it is active
             */
            archivedAt: string | null;
            stats: components["schemas"]["CampaignStats"];
            /** @description Clicks by destination, most clicked first; at most 1,000 per page */
            links: components["schemas"]["CampaignLink"][];
            /** @description Emails, newest first; paginated */
            emails: components["schemas"]["CampaignEmail"][];
        };
        /**
         * Archived
         * @description The campaign is archived
         */
        Archived: {
            /** @description Always true */
            success: boolean;
        };
        /**
         * PeopleFigures
         * @description Opens and clicks by people
         */
        PeopleFigures: {
            /** @description Opens by people */
            opens: number;
            /** @description Clicks by people */
            clicks: number;
            /** @description Emails that a person opened for the first time */
            uniqueOpens: number;
            /** @description Emails in which a person clicked for the first time */
            uniqueClicks: number;
        };
        /**
         * MachineFigures
         * @description Opens and clicks by machines
         */
        MachineFigures: {
            /** @description Opens by machines */
            opens: number;
            /** @description Clicks by machines */
            clicks: number;
        };
        /**
         * StatsPoint
         * @description Figures of one interval
         */
        StatsPoint: {
            /**
             * Format: date-time
             * @description Start of the interval
             */
            at: string;
            /** @description Emails accepted in this time that neither failed nor were canceled */
            emails: number;
            /** @description Emails that the provider accepted, or that another provider sent */
            sent: number;
            /** @description Emails that failed for good and were not retried */
            failed: number;
            /** @description Recipients whose server accepted the email */
            delivered: number;
            /** @description Recipients whose server asked to retry later, even if the email was delivered afterwards */
            deferred: number;
            /** @description Recipients whose email bounced */
            bounced: number;
            /** @description Recipients who reported the email as spam */
            complained: number;
            /** @description Recipients who unsubscribed through the email and did not take it back */
            unsubscribed: number;
            /** @description Opens, by people and machines */
            opens: number;
            /** @description Clicks, by people and machines */
            clicks: number;
            people: components["schemas"]["PeopleFigures"];
            machines: components["schemas"]["MachineFigures"];
        };
        /**
         * StatsTotals
         * @description Sums of all points
         */
        StatsTotals: {
            /** @description Emails accepted in this time that neither failed nor were canceled */
            emails: number;
            /** @description Emails that the provider accepted, or that another provider sent */
            sent: number;
            /** @description Emails that failed for good and were not retried */
            failed: number;
            /** @description Recipients whose server accepted the email */
            delivered: number;
            /** @description Recipients whose server asked to retry later, even if the email was delivered afterwards */
            deferred: number;
            /** @description Recipients whose email bounced */
            bounced: number;
            /** @description Recipients who reported the email as spam */
            complained: number;
            /** @description Recipients who unsubscribed through the email and did not take it back */
            unsubscribed: number;
            /** @description Opens, by people and machines */
            opens: number;
            /** @description Clicks, by people and machines */
            clicks: number;
            people: components["schemas"]["PeopleFigures"];
            machines: components["schemas"]["MachineFigures"];
        };
        /**
         * Stats
         * @description Figures over time
         */
        Stats: {
            /**
             * Format: date-time
             * @description Start of the first interval
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the last interval, exclusive
             */
            to: string;
            /**
             * @description Length of each point
             * @enum {string}
             */
            interval: "hour" | "day" | "week" | "month";
            /** @description One point for each interval, oldest first */
            points: components["schemas"]["StatsPoint"][];
            totals: components["schemas"]["StatsTotals"];
        };
        /**
         * ContactPeople
         * @description Opens and clicks by people
         */
        ContactPeople: {
            /** @description Opens by people */
            opens: number;
            /** @description Clicks by people */
            clicks: number;
            /** @description The score of these opens and clicks, by the same formula */
            engagementScore: number;
        };
        /**
         * Contact
         * @description A recipient, across all campaigns
         */
        Contact: {
            /** @description Address in its original spelling */
            email: string;
            /** @description Emails sent to the contact */
            totalEmails: number;
            /** @description Opens of those emails */
            totalOpens: number;
            /** @description Clicks in those emails */
            totalClicks: number;
            /**
             * @description The strongest reason why mail to the contact is suppressed
             * @enum {string}
             */
            status: "active" | "unsubscribed" | "bounced" | "complained";
            /** @description Emails to the contact that bounced, hard or soft */
            bounces: number;
            /** @description Emails that the contact reported as spam */
            complaints: number;
            /** @description Names of the campaigns that the contact received, newest first: at most 100 in a list, 1,000 in the detail */
            campaigns: string[];
            /** @description min(100, round(60 × opens per email + 40 × clicks per email)) */
            engagementScore: number;
            people: components["schemas"]["ContactPeople"];
            /**
             * Format: date-time
             * @description Time of the most recent email, open or click
             */
            lastActivity: string;
        };
        /**
         * TimelineEvent
         * @description An event in the history of a contact
         */
        TimelineEvent: {
            /**
             * @description Type of the event
             * @enum {string}
             */
            type: "sent" | "opened" | "clicked";
            /**
             * Format: date-time
             * @description Time of the event
             */
            timestamp: string;
            /** @description ID of the email */
            emailId: string;
            /** @description Subject line of the email */
            subject: string;
            /** @description Name of the campaign, if the email has one */
            campaign?: string;
            /** @description Destination, only for clicked */
            link?: string;
            /**
             * @description What caused an open or a click: people (human, and proxy, which fetches for a reader) or machines. A later rule may correct it
             * @enum {string}
             */
            class?: "human" | "proxy" | "prefetch" | "preview" | "scanner" | "bot";
            /** @description Why an open or a click has its class: a stable word, none without a sign of a machine */
            reason?: string;
            /**
             * @description How sure the class is; a certain one never changes
             * @enum {string}
             */
            certainty?: "certain" | "probable";
        };
        /**
         * ContactDetail
         * @description A recipient with their history
         */
        ContactDetail: {
            /** @description Address in its original spelling */
            email: string;
            /** @description Emails sent to the contact */
            totalEmails: number;
            /** @description Opens of those emails */
            totalOpens: number;
            /** @description Clicks in those emails */
            totalClicks: number;
            /**
             * @description The strongest reason why mail to the contact is suppressed
             * @enum {string}
             */
            status: "active" | "unsubscribed" | "bounced" | "complained";
            /** @description Emails to the contact that bounced, hard or soft */
            bounces: number;
            /** @description Emails that the contact reported as spam */
            complaints: number;
            /** @description Names of the campaigns that the contact received, newest first: at most 100 in a list, 1,000 in the detail */
            campaigns: string[];
            /** @description min(100, round(60 × opens per email + 40 × clicks per email)) */
            engagementScore: number;
            people: components["schemas"]["ContactPeople"];
            /**
             * Format: date-time
             * @description Time of the most recent email, open or click
             */
            lastActivity: string;
            /**
             * Format: date-time
             * @description Time of the first email that counts in totalEmails; of the first email if none counts
             */
            firstSeen: string;
            /** @description Opens per email, two decimals */
            openRate: number;
            /** @description Clicks per email, two decimals */
            clickRate: number;
            /** @description At most 1000 events, newest first */
            timeline: components["schemas"]["TimelineEvent"][];
        };
        /**
         * ErasureProgress
         * @description An erasure in progress
         */
        ErasureProgress: {
            /** @description Emails from which the person is still to be erased */
            emails: number;
        };
        /**
         * PersonExport
         * @description Everything that is stored about a person
         */
        PersonExport: {
            /** @description The contact with its counts */
            contact: {
                [key: string]: unknown;
            } | null;
            /** @description Why mail to the person is suppressed */
            suppressions: {
                [key: string]: unknown;
            }[];
            /** @description Entries in broadcasts without an email yet */
            broadcasts: {
                [key: string]: unknown;
            }[];
            /** @description Emails with their content */
            emails: {
                [key: string]: unknown;
            }[];
            /** @description Events, oldest first */
            events: {
                [key: string]: unknown;
            }[];
        };
        /**
         * SendRequest
         * @description An email to send
         */
        SendRequest: {
            /** @description Address, or Name <address> */
            from: string;
            /** @description One or more recipients; 1 to 50 addresses in to, cc and bcc together */
            to: string | string[];
            /** @description Subject line, without line breaks. Required without templateId */
            subject?: string;
            /** @description Name or ID of a campaign; a new name creates the campaign */
            campaignId?: string;
            /** @description Your own data, stored with the email; at most 10,000 bytes as JSON */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description At most 10 tags */
            tags?: string[];
            /** @description HTML, or MJML whose root element is <mjml>; at most 5 MB. Required without textContent and templateId */
            htmlContent?: string;
            /** @description ID of a template: its subject, HTML and text are used where the request has none */
            templateId?: string;
            /** @description Values of the variables by name; at most 250,000 bytes as JSON. With them, subject, HTML and text are Liquid; without them and without templateId, braces stay braces */
            variables?: {
                [key: string]: unknown;
            };
            /** @description True to refuse variables without a value with 400; otherwise they are empty */
            strict?: boolean;
            /** @description The text part, used unchanged; without it, we derive one from the HTML. At most 1 MB */
            textContent?: string;
            /** @description At most 20 headers of your own: X-…, References, In-Reply-To, Auto-Submitted, Precedence; printable ASCII */
            headers?: {
                [key: string]: unknown;
            };
            /** @description At most 20 files, 20 MB together when decoded */
            attachments?: components["schemas"]["NewAttachment"][];
            /** @description Address that replies go to */
            replyTo?: string;
            /** @description Copies */
            cc?: string | string[];
            /** @description Blind copies, hidden from other recipients */
            bcc?: string | string[];
            /**
             * Format: date-time
             * @description When to send it, with a time zone; at most 366 days ahead. Without it, or for a time that has passed: at once
             */
            sendAt?: string;
            /** @description True for mail that its recipient may unsubscribe from: adds the headers of one-click unsubscription, and puts the address of the unsubscribe page in place of {{unsubscribe_url}}. Needs exactly one recipient */
            unsubscribe?: boolean;
        };
        /**
         * TrackedLink
         * @description One link of an email
         */
        TrackedLink: {
            /** @description Destination as found in the HTML */
            originalUrl: string;
            /** @description Tracking ID of the link */
            trackingId: string;
            /** @description Address that counts the click and redirects */
            trackingUrl: string;
        };
        /**
         * SuppressedRecipient
         * @description A recipient that is left out
         */
        SuppressedRecipient: {
            /** @description An email address */
            address: string;
            /**
             * @description Strongest reason of the address
             * @enum {string}
             */
            reason: "complaint" | "bounce" | "manual" | "unsubscribe";
        };
        /**
         * SentEmail
         * @description The provider accepted the email
         */
        SentEmail: {
            /** @description ID given by the delivery provider; the email's own once its recipient is erased */
            id: string;
            /** @description Short tracking ID of the email */
            emailTrackingId: string;
            /** @description Sender actually used: rewritten unless its domain is verified */
            from: string;
            /** @description Recipients, always an array */
            to: string[];
            /** @description Subject line; empty once its recipient is erased */
            subject: string;
            /** @description One entry per tracked link; empty until the HTML has been rewritten */
            links: components["schemas"]["TrackedLink"][];
            /** @description Open-tracking pixel */
            pixelUrl: string;
            /** @description Recipients that are left out because they are suppressed; absent when there are none */
            suppressed?: components["schemas"]["SuppressedRecipient"][];
        };
        /**
         * AcceptedEmail
         * @description The email is stored and will be delivered
         */
        AcceptedEmail: {
            /** @description Null until the provider accepts */
            id: null;
            /** @description Short tracking ID of the email */
            emailTrackingId: string;
            /** @description Sender actually used: rewritten unless its domain is verified */
            from: string;
            /** @description Recipients, always an array */
            to: string[];
            /** @description Subject line; empty once its recipient is erased */
            subject: string;
            /** @description One entry per tracked link; empty until the HTML has been rewritten */
            links: components["schemas"]["TrackedLink"][];
            /** @description Open-tracking pixel */
            pixelUrl: string;
            /** @description Recipients that are left out because they are suppressed; absent when there are none */
            suppressed?: components["schemas"]["SuppressedRecipient"][];
            /**
             * @description scheduled until sendAt, if that is in the future
             * @enum {string}
             */
            status: "queued" | "scheduled";
        };
        /**
         * BatchRequest
         * @description Many emails to send
         */
        BatchRequest: {
            /** @description 1 to 500 messages, each as for POST /api/send */
            emails: components["schemas"]["SendRequest"][];
        };
        /**
         * BatchResult
         * @description Result of one message: an email, or an error
         */
        BatchResult: {
            /** @description ID of the email */
            id?: string;
            /** @description Short tracking ID of the email */
            emailTrackingId?: string;
            /**
             * @description scheduled with a later sendAt
             * @enum {string}
             */
            status?: "queued" | "scheduled";
            /** @description Recipients that are left out because they are suppressed; absent when there are none */
            suppressed?: components["schemas"]["SuppressedRecipient"][];
            /** @description Why the message is refused */
            error?: string;
            /** @description The invalid fields */
            details?: components["schemas"]["FieldProblem"][];
        };
        /**
         * BatchResponse
         * @description Result of a batch
         */
        BatchResponse: {
            /** @description One entry per message, in order */
            emails: components["schemas"]["BatchResult"][];
        };
        /**
         * TrackRequest
         * @description An email that another provider sends
         */
        TrackRequest: {
            /** @description One or more recipients; 1 to 50 addresses in to, cc and bcc together */
            to: string | string[];
            /** @description Subject line, without line breaks */
            subject: string;
            /** @description Name or ID of a campaign; a new name creates the campaign */
            campaignId?: string;
            /** @description Your own data, stored with the email; at most 10,000 bytes as JSON */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description At most 10 tags */
            tags?: string[];
            /** @description HTML, or MJML whose root element is <mjml>; at most 5 MB */
            htmlContent: string;
            /** @description Address, or Name <address> */
            from?: string;
        };
        /**
         * TrackedEmail
         * @description The email for the other provider to send
         */
        TrackedEmail: {
            /** @description ID of the email */
            id: string;
            /** @description Short tracking ID of the email */
            emailTrackingId: string;
            /** @description One entry per tracked link */
            links: components["schemas"]["TrackedLink"][];
            /** @description Open-tracking pixel */
            pixelUrl: string;
            /** @description The HTML with tracked links and the pixel */
            htmlContent: string;
        };
        /**
         * EmailSummary
         * @description An email in a list
         */
        EmailSummary: {
            /** @description ID of the email */
            id: string;
            /** @description Short tracking ID of the email */
            trackingId: string;
            /**
             * @description Status of the email; tracked when another provider sends it
             * @enum {string}
             */
            status: "queued" | "sending" | "sent" | "failed" | "tracked" | "scheduled" | "canceled";
            /** @description Subject line; empty once its recipient is erased */
            subject: string;
            /** @description Name of its campaign; null without one */
            campaign: string | null;
            /** @description At most 10 tags */
            tags: string[];
            /** @description Why the last attempt failed */
            lastError: string | null;
            /**
             * Format: date-time
             * @description Time of acceptance
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time when the provider accepted it; null until then
             */
            sentAt: string | null;
            /** @description Opens */
            opens: number;
            /** @description Clicks */
            clicks: number;
            people: components["schemas"]["PeopleStats"];
            machines: components["schemas"]["MachineStats"];
            /** @description The addresses in to, joined by ", " */
            recipient: string;
            recipientStates: components["schemas"]["RecipientStates"];
        };
        /**
         * EmailList
         * @description A page of emails
         */
        EmailList: {
            /** @description Emails, newest first */
            emails: components["schemas"]["EmailSummary"][];
        };
        /**
         * Recipient
         * @description A recipient with its delivery state
         */
        Recipient: {
            /** @description An email address */
            address: string;
            /**
             * @description Field that names the recipient
             * @enum {string}
             */
            kind: "to" | "cc" | "bcc";
            /**
             * @description The strongest fact: complained, bounced, delivered, suppressed, failed, deferred, sent, pending, in this order
             * @enum {string}
             */
            state: "pending" | "sent" | "deferred" | "failed" | "suppressed" | "canceled" | "delivered" | "bounced" | "complained";
            /** @description Message of the reporting server; null when unknown */
            reason: string | null;
            /** @description Enhanced status code (RFC 3463); null when unknown */
            smtpStatus: string | null;
            /**
             * Format: date-time
             * @description Time of the fact, by its source
             */
            updatedAt: string;
        };
        /**
         * ClickedLink
         * @description One link of an email and its clicks
         */
        ClickedLink: {
            /** @description Destination as found in the HTML */
            originalUrl: string;
            /** @description Tracking ID of the link */
            trackingId: string;
            /** @description Address that counts the click and redirects */
            trackingUrl: string;
            /** @description Clicks on the link */
            clicks: number;
            /** @description Clicks by people */
            people: number;
        };
        /**
         * Email
         * @description An email in full
         */
        Email: {
            /** @description ID of the email */
            id: string;
            /** @description Short tracking ID of the email */
            trackingId: string;
            /**
             * @description Status of the email; tracked when another provider sends it
             * @enum {string}
             */
            status: "queued" | "sending" | "sent" | "failed" | "tracked" | "scheduled" | "canceled";
            /** @description Subject line; empty once its recipient is erased */
            subject: string;
            /** @description Name of its campaign; null without one */
            campaign: string | null;
            /** @description At most 10 tags */
            tags: string[];
            /** @description Why the last attempt failed */
            lastError: string | null;
            /**
             * Format: date-time
             * @description Time of acceptance
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time when the provider accepted it; null until then
             */
            sentAt: string | null;
            /** @description Opens */
            opens: number;
            /** @description Clicks */
            clicks: number;
            people: components["schemas"]["PeopleStats"];
            machines: components["schemas"]["MachineStats"];
            /** @description Sender used; null if it is unknown */
            from: string | null;
            /** @description Address that replies go to */
            replyTo: string | null;
            /** @description Recipients */
            to: string[];
            /** @description Copies */
            cc: string[];
            /** @description Blind copies, hidden from other recipients */
            bcc: string[];
            /** @description State of each recipient: to, then cc, then bcc */
            recipients: components["schemas"]["Recipient"][];
            /** @description Your own data, stored with the email; at most 10,000 bytes as JSON */
            metadata: {
                [key: string]: unknown;
            } | null;
            /** @description At most 20 headers of your own: X-…, References, In-Reply-To, Auto-Submitted, Precedence; printable ASCII */
            headers: {
                [key: string]: unknown;
            } | null;
            /** @description Attachments, without their contents */
            attachments: components["schemas"]["Attachment"][];
            /** @description ID given by the delivery provider; null until it accepts */
            providerId: string | null;
            /** @description Delivery attempts */
            attempts: number;
            /** @description True if it was resent because the outcome of an earlier delivery is unknown */
            possibleDuplicate: boolean;
            /**
             * Format: date-time
             * @description Time of the final failure
             */
            failedAt: string | null;
            /**
             * Format: date-time
             * @description Time when it was canceled
             */
            canceledAt: string | null;
            /**
             * Format: date-time
             * @description Scheduled time; null for at once
             */
            sendAt: string | null;
            /**
             * Format: date-time
             * @description Time of the next attempt; null if there is none, while its broadcast is paused, or while your own providers refuse their credentials
             */
            nextAttemptAt: string | null;
            /** @description Open-tracking pixel */
            pixelUrl: string;
            /** @description Its links, in HTML order */
            links: components["schemas"]["ClickedLink"][];
        };
        /**
         * RescheduleRequest
         * @description Another time
         */
        RescheduleRequest: {
            /**
             * Format: date-time
             * @description When to send it instead, with a time zone; at most 366 days ahead. For a time that has passed: at once
             */
            sendAt: string;
        };
        /**
         * EmailEvent
         * @description One event of an email
         */
        EmailEvent: {
            /** @description ID of the event */
            id: string;
            /**
             * @description Event type
             * @enum {string}
             */
            type: "sent" | "opened" | "clicked";
            /**
             * Format: date-time
             * @description Time of the event
             */
            timestamp: string;
            /** @description Destination, only for clicked */
            link?: string;
            /**
             * @description What caused an open or a click: people (human, and proxy, which fetches for a reader) or machines. A later rule may correct it
             * @enum {string}
             */
            class?: "human" | "proxy" | "prefetch" | "preview" | "scanner" | "bot";
            /** @description Why an open or a click has its class: a stable word, none without a sign of a machine */
            reason?: string;
            /**
             * @description How sure the class is; a certain one never changes
             * @enum {string}
             */
            certainty?: "certain" | "probable";
        };
        /**
         * EmailEventList
         * @description A page of events
         */
        EmailEventList: {
            /** @description Events, newest first */
            events: components["schemas"]["EmailEvent"][];
        };
        /**
         * TimelineWebhook
         * @description A webhook delivery and its last attempt
         */
        TimelineWebhook: {
            /** @description ID of the webhook */
            webhookId: string;
            /** @description ID of the delivery */
            deliveryId: string;
            /** @description The event */
            event: string;
            /**
             * @description Status of the delivery
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed";
            /** @description Attempts so far */
            attempts: number;
            /** @description HTTP status of the response; null without a response */
            responseStatus: number | null;
            /** @description Reason of the failure; null for a success */
            error: string | null;
            /** @description The first 256 bytes of the response body; null without a response */
            answer: string | null;
        };
        /**
         * TimelineEntry
         * @description Something that happened to an email
         */
        TimelineEntry: {
            /**
             * @description Type of the entry: about the email, or about the recipient in `recipient`
             * @enum {string}
             */
            type: "accepted" | "scheduled" | "attempted" | "sent" | "canceled" | "opened" | "clicked" | "refused" | "webhook" | "deferred" | "delivered" | "bounced" | "complained" | "suppressed" | "failed" | "unsubscribed" | "resubscribed" | "noted";
            /**
             * Format: date-time
             * @description Time of the entry, by its source
             */
            at: string;
            /** @description Address of the recipient */
            recipient?: string;
            /** @description Message of the provider or of the receiving server; for opened and clicked, why they have their class */
            reason?: string;
            /** @description Enhanced status code (RFC 3463) */
            smtpStatus?: string;
            /**
             * @description Kind of the bounce
             * @enum {string}
             */
            bounce?: "hard" | "soft";
            /** @description Destination, only for clicked */
            link?: string;
            /**
             * @description What caused an open or a click: people (human, and proxy, which fetches for a reader) or machines. A later rule may correct it
             * @enum {string}
             */
            class?: "human" | "proxy" | "prefetch" | "preview" | "scanner" | "bot";
            /**
             * @description How sure the class is; a certain one never changes
             * @enum {string}
             */
            certainty?: "certain" | "probable";
            webhook?: components["schemas"]["TimelineWebhook"];
        };
        /**
         * EmailTimeline
         * @description A page of a timeline
         */
        EmailTimeline: {
            /** @description Entries, oldest first */
            timeline: components["schemas"]["TimelineEntry"][];
        };
        /**
         * CanceledEmail
         * @description A canceled email
         */
        CanceledEmail: {
            /**
             * @description Always canceled
             * @enum {string}
             */
            status: "canceled";
        };
        /**
         * MappedLink
         * @description Clicks on the link at one position of a message
         */
        MappedLink: {
            /** @description 0 for the first tracked link; in the HTML it leads to `#link-0` */
            position: number;
            /** @description Destination */
            url: string;
            /** @description Clicks */
            clicks: number;
            /** @description Clicks by people */
            people: number;
            /** @description Emails in which it was clicked */
            unique: number;
            /** @description Emails in which people clicked it */
            uniquePeople: number;
            /** @description Share of all clicks by people, from 0 to 1 */
            share: number;
        };
        /**
         * ClickMap
         * @description A message and the clicks on its links
         */
        ClickMap: {
            /** @description The email whose HTML this is; null for a campaign without emails */
            emailId: string | null;
            /** @description The HTML without the pixel, in which a tracked link leads to its position and every other link to `#`. It may have scripts: show it in a sandbox */
            html: string;
            /** @description How many emails were counted */
            emails: number;
            /** @description False when only the newest 20,000 emails of a campaign were counted */
            isComplete: boolean;
            /** @description The tracked links, in the order of the message */
            links: components["schemas"]["MappedLink"][];
        };
        /**
         * SendingRate
         * @description Recipients of all sender domains within some hours until now
         */
        SendingRate: {
            /** @description Hours until now: 1, 24 or 168 */
            hours: number;
            /** @description Recipients within these hours */
            sent: number;
            /** @description Those that bounced hard */
            bounced: number;
            /** @description Those that complained */
            complained: number;
            /** @description `bounced / sent`, at most 1; 0 without recipients */
            bounceRate: number;
            /** @description `complained / sent`, at most 1; 0 without recipients */
            complaintRate: number;
        };
        /**
         * ExceededRate
         * @description A rate that has reached a limit
         */
        ExceededRate: {
            /**
             * @description What happened
             * @enum {string}
             */
            fact: "bounced" | "complained";
            /** @description Sender domain; null for all of them together */
            domain: string | null;
            /** @description Hours until now: 1, 24 or 168 */
            hours: number;
            /** @description Recipients within these hours */
            sent: number;
            /** @description Those that bounced hard or complained */
            count: number;
            /** @description `count / sent`, at most 1 */
            rate: number;
            /** @description Limit that it has reached */
            limit: number;
        };
        /**
         * SendingLimitsBounced
         * @description Limits of hard bounces
         */
        SendingLimitsBounced: {
            /** @description Share at which the state becomes warned; null: never */
            warned: number | null;
            /** @description Share at which the state becomes slowed; null: never */
            slowed: number | null;
            /** @description Share at which the state becomes paused; null: never */
            paused: number | null;
        };
        /**
         * SendingLimitsComplained
         * @description Limits of complaints
         */
        SendingLimitsComplained: {
            /** @description Share at which the state becomes warned; null: never */
            warned: number | null;
            /** @description Share at which the state becomes slowed; null: never */
            slowed: number | null;
            /** @description Share at which the state becomes paused; null: never */
            paused: number | null;
        };
        /**
         * SendingLimits
         * @description What leads to which state
         */
        SendingLimits: {
            /** @description Minimum number of recipients in a window for the limits to apply */
            minSent: number;
            bounced: components["schemas"]["SendingLimitsBounced"];
            complained: components["schemas"]["SendingLimitsComplained"];
        };
        /**
         * ProviderState
         * @description Whether the email provider accepts mail: the organization's own if it has any, else that of this service
         */
        ProviderState: {
            /**
             * @description available; throttled: it asked for a pause; credential-refused: it refuses the credential; failing: it leaves open whether it accepts emails; unknown: currently unknown
             * @enum {string}
             */
            state: "available" | "throttled" | "credential-refused" | "failing" | "unknown";
            /**
             * Format: date-time
             * @description When sending is tried again; null unless it waits
             */
            until: string | null;
        };
        /**
         * SendingState
         * @description The sending state of the organization
         */
        SendingState: {
            /**
             * @description normal: without limits; warned: close to a limit; slowed: a few emails a minute; paused: none until an operator resumes it
             * @enum {string}
             */
            state: "normal" | "warned" | "slowed" | "paused";
            /** @description Why, in one sentence; null while the state is normal */
            reason: string | null;
            /**
             * Format: date-time
             * @description When the state began; null if it was never anything but normal
             */
            since: string | null;
            /** @description Emails that are sent in a minute; null unless the state is slowed */
            emailsPerMinute: number | null;
            /** @description The last hour, 24 hours and 7 days */
            rates: components["schemas"]["SendingRate"][];
            /** @description Rates that have reached a limit by now, at most ten. The state follows within a minute */
            exceeded: components["schemas"]["ExceededRate"][];
            limits: components["schemas"]["SendingLimits"];
            provider: components["schemas"]["ProviderState"];
        };
        /**
         * DomainRecord
         * @description A DNS record to publish, and the result of the last check
         */
        DomainRecord: {
            /** @description Type of the record */
            type: string;
            /** @description Full name of the record */
            name: string;
            /** @description Value to publish; it replaces a record that already exists at this name for the same purpose */
            value: string;
            /**
             * @description Purpose of the record
             * @enum {string}
             */
            purpose: "ownership" | "dkim" | "spf" | "dmarc" | "return-path" | "tracking";
            /** @description True when the use of the domain requires it; the others make receivers trust the mail */
            required: boolean;
            /** @description True when the last check found the correct value */
            found: boolean;
            /** @description Published records that the last check found, at most ten */
            seen: string[];
            /** @description What to do; null when nothing is wrong */
            advice: string | null;
        };
        /**
         * Domain
         * @description A domain to send from
         */
        Domain: {
            /** @description ID of the domain */
            id: string;
            /** @description The domain in lower-case A-labels */
            domain: string;
            /** @description The domain in Unicode */
            shownDomain: string;
            /**
             * @description Verified: ownership is proven, and senders on the domain are not rewritten unless `notice` says otherwise
             * @enum {string}
             */
            status: "pending" | "verified";
            /**
             * Format: date-time
             * @description Time of creation
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of verification; null while pending
             */
            verifiedAt: string | null;
            /**
             * Format: date-time
             * @description Time of the last check; null before the first
             */
            checkedAt: string | null;
            /**
             * Format: date-time
             * @description Time since a verified domain has failed its daily check; null while it passes
             */
            failingSince: string | null;
            /** @description Why mail cannot be sent from this domain: DKIM records of the delivery provider are missing or not found, or it refused an email because of its sender. Null without such a problem */
            notice: string | null;
            /** @description The records to publish */
            records: components["schemas"]["DomainRecord"][];
        };
        /**
         * DomainList
         * @description A page of domains
         */
        DomainList: {
            /** @description Domains, newest first */
            domains: components["schemas"]["Domain"][];
        };
        /**
         * CreateDomain
         * @description A domain to send from
         */
        CreateDomain: {
            /** @description A domain name, in letters of any script or in A-labels */
            domain: string;
        };
        /**
         * TrackingDomain
         * @description A domain of your own for tracked links
         */
        TrackingDomain: {
            /** @description ID of the tracking domain */
            id: string;
            /** @description The domain in lower-case A-labels */
            domain: string;
            /** @description The domain in Unicode */
            shownDomain: string;
            /**
             * @description Verified: its records were found
             * @enum {string}
             */
            status: "pending" | "verified";
            /**
             * Format: date-time
             * @description Time of creation
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of verification; null while pending
             */
            verifiedAt: string | null;
            /**
             * Format: date-time
             * @description Time of the last check; null before the first
             */
            checkedAt: string | null;
            /**
             * Format: date-time
             * @description Time since a verified domain has failed its hourly check; null while it passes
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description Time since when new emails use the domain, some seconds in the future at first; null while they do not
             */
            usedSince: string | null;
            /** @description The records to publish */
            records: components["schemas"]["DomainRecord"][];
        };
        /**
         * TrackingDomainList
         * @description A page of tracking domains
         */
        TrackingDomainList: {
            /** @description Tracking domains, newest first */
            trackingDomains: components["schemas"]["TrackingDomain"][];
        };
        /**
         * CreateTrackingDomain
         * @description A domain for tracked links
         */
        CreateTrackingDomain: {
            /** @description A domain name that has no other records, in letters of any script or in A-labels */
            domain: string;
        };
        /**
         * Suppression
         * @description An address that the organization must not write to
         */
        Suppression: {
            /** @description Address in its original spelling */
            address: string;
            /**
             * @description Strongest reason of the address: complaint, bounce, manual, unsubscribe, in this order
             * @enum {string}
             */
            reason: "complaint" | "bounce" | "manual" | "unsubscribe";
            /**
             * @description Mail that the address must not get: `marketing` if unsubscribe is its only reason, else `all`
             * @enum {string}
             */
            scope: "all" | "marketing";
            /** @description ID of the email that caused the suppression, or null */
            emailId: string | null;
            /** @description Note of the person who added the address, or null */
            note: string | null;
            /**
             * Format: date-time
             * @description Time when the reason was added
             */
            createdAt: string;
        };
        /**
         * SuppressionList
         * @description A page of entries
         */
        SuppressionList: {
            /** @description Entries, newest first */
            suppressions: components["schemas"]["Suppression"][];
        };
        /**
         * AddSuppressions
         * @description Addresses to suppress
         */
        AddSuppressions: {
            /** @description An address */
            address?: string;
            /** @description Addresses; `address` or `addresses` is required */
            addresses?: string[];
            /**
             * @description The other reasons come from reports about mail
             * @enum {string}
             */
            reason?: "manual";
            /** @description A note for every added address */
            note?: string;
        };
        /**
         * SuppressionCount
         * @description Result of adding the addresses
         */
        SuppressionCount: {
            /** @description Addresses that now have the reason */
            added: number;
            /** @description Addresses that already had the reason, and repeated ones */
            known: number;
        };
        /**
         * InvalidLine
         * @description A row that is not stored
         */
        InvalidLine: {
            /** @description Line of the file where the row begins, from 1 */
            line: number;
            /** @description What is wrong */
            reason: string;
        };
        /**
         * ImportResult
         * @description Result of the import
         */
        ImportResult: {
            /** @description Rows that added a reason */
            added: number;
            /** @description Rows with a reason that the address already had */
            known: number;
            /** @description Rows that are not stored */
            invalid: number;
            /** @description The first invalid rows, at most 100 */
            invalidLines: components["schemas"]["InvalidLine"][];
        };
        /**
         * Template
         * @description A template
         */
        Template: {
            /** @description ID of the template */
            id: string;
            /** @description Name */
            name: string;
            /** @description Number of the version: 1 for a new template, one more for every change */
            version: number;
            /** @description Variables that it reads */
            variables: string[];
            /**
             * Format: date-time
             * @description Time of creation
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last change
             */
            updatedAt: string;
        };
        /**
         * TemplateList
         * @description A page of templates
         */
        TemplateList: {
            /** @description Templates, newest first */
            templates: components["schemas"]["Template"][];
        };
        /**
         * TemplateContent
         * @description The content of a template
         */
        TemplateContent: {
            /** @description Name */
            name: string;
            /** @description Subject line, in Liquid */
            subject: string;
            /** @description HTML, or MJML whose root element is <mjml>, in Liquid; at most 5 MB */
            htmlContent: string;
            /** @description Text part, in Liquid; without it, we derive one from the HTML */
            textContent?: string;
        };
        /**
         * TemplateDetail
         * @description A template with its content
         */
        TemplateDetail: {
            /** @description ID of the template */
            id: string;
            /** @description Name */
            name: string;
            /** @description Number of the version: 1 for a new template, one more for every change */
            version: number;
            /** @description Variables that it reads */
            variables: string[];
            /**
             * Format: date-time
             * @description Time of creation
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last change
             */
            updatedAt: string;
            /** @description Subject line, in Liquid */
            subject: string;
            /** @description HTML, or MJML whose root element is <mjml>, in Liquid; at most 5 MB */
            htmlContent: string;
            /** @description Text part, in Liquid; without it, we derive one from the HTML */
            textContent: string | null;
        };
        /**
         * ChangeTemplate
         * @description The content of the next version
         */
        ChangeTemplate: {
            /** @description Name */
            name: string;
            /** @description Subject line, in Liquid */
            subject: string;
            /** @description HTML, or MJML whose root element is <mjml>, in Liquid; at most 5 MB */
            htmlContent: string;
            /** @description Text part, in Liquid; without it, we derive one from the HTML */
            textContent?: string;
            /** @description The version that is changed: 409 if there is a newer one. Without it, any version is replaced */
            version?: number;
        };
        /**
         * RenderTemplate
         * @description Variables for a template
         */
        RenderTemplate: {
            /** @description Values of the variables by name; at most 250,000 bytes as JSON */
            variables?: {
                [key: string]: unknown;
            };
            /** @description True to refuse variables without a value with 400; otherwise they are empty */
            strict?: boolean;
        };
        /**
         * TemplateVersion
         * @description A version of a template
         */
        TemplateVersion: {
            /** @description Number of the version, from 1 */
            version: number;
            /** @description Subject line, in Liquid */
            subject: string;
            /** @description Variables that it reads */
            variables: string[];
            /**
             * Format: date-time
             * @description Time when it was saved
             */
            createdAt: string;
        };
        /**
         * TemplateVersionList
         * @description A page of versions
         */
        TemplateVersionList: {
            /** @description Versions, newest first */
            versions: components["schemas"]["TemplateVersion"][];
        };
        /**
         * TemplateVersionDetail
         * @description A version of a template with its content
         */
        TemplateVersionDetail: {
            /** @description Number of the version, from 1 */
            version: number;
            /** @description Subject line, in Liquid */
            subject: string;
            /** @description Variables that it reads */
            variables: string[];
            /**
             * Format: date-time
             * @description Time when it was saved
             */
            createdAt: string;
            /** @description Original HTML or MJML */
            htmlContent: string;
            /** @description Text part; null if it is derived from the HTML */
            textContent: string | null;
        };
        /**
         * TemplateDraft
         * @description A template that is not saved, and values for its variables
         */
        TemplateDraft: {
            /** @description Subject line, in Liquid */
            subject: string;
            /** @description HTML, or MJML whose root element is <mjml>, in Liquid; at most 5 MB */
            htmlContent: string;
            /** @description Text part, in Liquid; without it, we derive one from the HTML */
            textContent?: string;
            /** @description Values of the variables by name; at most 250,000 bytes as JSON */
            variables?: {
                [key: string]: unknown;
            };
            /** @description True to refuse variables without a value with 400; otherwise they are empty */
            strict?: boolean;
        };
        /**
         * Webhook
         * @description A webhook, without its secret
         */
        Webhook: {
            /** @description ID of the webhook */
            id: string;
            /** @description URL that receives the events: https, at a public address */
            url: string;
            /** @description Events that the webhook receives */
            events: ("EMAIL_SENT" | "EMAIL_FAILED" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_DELIVERED" | "EMAIL_DEFERRED" | "EMAIL_BOUNCED" | "EMAIL_COMPLAINED" | "EMAIL_SUPPRESSED" | "EMAIL_UNSUBSCRIBED" | "EMAIL_RESUBSCRIBED" | "SENDING_GUARD_CHANGED" | "BUDGET_WARNING")[];
            /** @description False while the webhook receives no events */
            enabled: boolean;
            /** @description True to receive EMAIL_OPENED and EMAIL_CLICKED only when people caused them */
            people: boolean;
            /**
             * Format: date-time
             * @description Time when the webhook was disabled; null while it is enabled
             */
            disabledAt: string | null;
            /**
             * @description Disabled by the organization (requested), by a 410 response (gone), or by five days of failures (failing)
             * @enum {string|null}
             */
            disabledReason: "requested" | "gone" | "failing" | null;
            /**
             * Format: date-time
             * @description Time of the first failure since the last success; null without failures
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description Time of creation
             */
            createdAt: string;
        };
        /**
         * WebhookList
         * @description A page of webhooks
         */
        WebhookList: {
            /** @description Webhooks, newest first */
            webhooks: components["schemas"]["Webhook"][];
        };
        /**
         * CreateWebhook
         * @description A new webhook
         */
        CreateWebhook: {
            /** @description URL that receives the events: https, at a public address */
            url: string;
            /**
             * @description Events that the webhook receives
             * @default [
             *       "EMAIL_SENT"
             *     ]
             */
            events?: ("EMAIL_SENT" | "EMAIL_FAILED" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_DELIVERED" | "EMAIL_DEFERRED" | "EMAIL_BOUNCED" | "EMAIL_COMPLAINED" | "EMAIL_SUPPRESSED" | "EMAIL_UNSUBSCRIBED" | "EMAIL_RESUBSCRIBED" | "SENDING_GUARD_CHANGED" | "BUDGET_WARNING")[];
            /**
             * @description True to receive EMAIL_OPENED and EMAIL_CLICKED only when people caused them
             * @default false
             */
            people?: boolean;
        };
        /**
         * WebhookWithSecret
         * @description A webhook with its secret
         */
        WebhookWithSecret: {
            /** @description ID of the webhook */
            id: string;
            /** @description URL that receives the events: https, at a public address */
            url: string;
            /** @description Events that the webhook receives */
            events: ("EMAIL_SENT" | "EMAIL_FAILED" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_DELIVERED" | "EMAIL_DEFERRED" | "EMAIL_BOUNCED" | "EMAIL_COMPLAINED" | "EMAIL_SUPPRESSED" | "EMAIL_UNSUBSCRIBED" | "EMAIL_RESUBSCRIBED" | "SENDING_GUARD_CHANGED" | "BUDGET_WARNING")[];
            /** @description False while the webhook receives no events */
            enabled: boolean;
            /** @description True to receive EMAIL_OPENED and EMAIL_CLICKED only when people caused them */
            people: boolean;
            /**
             * Format: date-time
             * @description Time when the webhook was disabled; null while it is enabled
             */
            disabledAt: string | null;
            /**
             * @description Disabled by the organization (requested), by a 410 response (gone), or by five days of failures (failing)
             * @enum {string|null}
             */
            disabledReason: "requested" | "gone" | "failing" | null;
            /**
             * Format: date-time
             * @description Time of the first failure since the last success; null without failures
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description Time of creation
             */
            createdAt: string;
            /** @description Signing secret, as defined by Standard Webhooks 1.0.0 */
            secret: string;
        };
        /**
         * ChangeWebhook
         * @description What to change
         */
        ChangeWebhook: {
            /** @description URL that receives the events: https, at a public address */
            url?: string;
            /** @description Events that the webhook receives */
            events?: ("EMAIL_SENT" | "EMAIL_FAILED" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_DELIVERED" | "EMAIL_DEFERRED" | "EMAIL_BOUNCED" | "EMAIL_COMPLAINED" | "EMAIL_SUPPRESSED" | "EMAIL_UNSUBSCRIBED" | "EMAIL_RESUBSCRIBED" | "SENDING_GUARD_CHANGED" | "BUDGET_WARNING")[];
            /** @description False while the webhook receives no events */
            enabled?: boolean;
            /** @description True to receive EMAIL_OPENED and EMAIL_CLICKED only when people caused them */
            people?: boolean;
        };
        /**
         * WebhookAttempt
         * @description One request to the receiver
         */
        WebhookAttempt: {
            /** @description Number of the attempt, from 1 */
            number: number;
            /**
             * Format: date-time
             * @description Start of the attempt: the webhook-timestamp
             */
            at: string;
            /** @description Duration in milliseconds */
            durationMs: number;
            /** @description HTTP status of the response; null without a response */
            status: number | null;
            /** @description Reason of the failure; null for a success */
            error: string | null;
            /** @description The first 256 bytes of the response body; null without a response */
            answer: string | null;
        };
        /**
         * WebhookDelivery
         * @description The delivery of an event to a webhook
         */
        WebhookDelivery: {
            /** @description ID of the delivery: the webhook-id of every attempt */
            id: string;
            /**
             * @description The event
             * @enum {string}
             */
            type: "EMAIL_SENT" | "EMAIL_FAILED" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_DELIVERED" | "EMAIL_DEFERRED" | "EMAIL_BOUNCED" | "EMAIL_COMPLAINED" | "EMAIL_SUPPRESSED" | "EMAIL_UNSUBSCRIBED" | "EMAIL_RESUBSCRIBED" | "SENDING_GUARD_CHANGED" | "BUDGET_WARNING" | "WEBHOOK_TEST";
            /**
             * @description Status of the delivery
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed";
            /**
             * Format: date-time
             * @description Time when the event was stored
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the next attempt; while an attempt is in flight, the time after which it counts as lost
             */
            nextAttemptAt: string | null;
            /**
             * Format: date-time
             * @description Time when it was delivered or finally failed; null while it is pending
             */
            finishedAt: string | null;
            /** @description Attempts so far */
            attemptCount: number;
            /** @description The latest 20 attempts, newest first */
            attempts: components["schemas"]["WebhookAttempt"][];
        };
        /**
         * WebhookDeliveryList
         * @description A page of deliveries
         */
        WebhookDeliveryList: {
            /** @description Deliveries, newest first */
            deliveries: components["schemas"]["WebhookDelivery"][];
        };
        /**
         * WebhookDeliveryDetail
         * @description A delivery with the body of its requests
         */
        WebhookDeliveryDetail: {
            /** @description ID of the delivery: the webhook-id of every attempt */
            id: string;
            /**
             * @description The event
             * @enum {string}
             */
            type: "EMAIL_SENT" | "EMAIL_FAILED" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_DELIVERED" | "EMAIL_DEFERRED" | "EMAIL_BOUNCED" | "EMAIL_COMPLAINED" | "EMAIL_SUPPRESSED" | "EMAIL_UNSUBSCRIBED" | "EMAIL_RESUBSCRIBED" | "SENDING_GUARD_CHANGED" | "BUDGET_WARNING" | "WEBHOOK_TEST";
            /**
             * @description Status of the delivery
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed";
            /**
             * Format: date-time
             * @description Time when the event was stored
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the next attempt; while an attempt is in flight, the time after which it counts as lost
             */
            nextAttemptAt: string | null;
            /**
             * Format: date-time
             * @description Time when it was delivered or finally failed; null while it is pending
             */
            finishedAt: string | null;
            /** @description Attempts so far */
            attemptCount: number;
            /** @description The latest 20 attempts, newest first */
            attempts: components["schemas"]["WebhookAttempt"][];
            /** @description Body of every attempt */
            body: string;
        };
        /**
         * ReplayWebhook
         * @description The range to replay
         */
        ReplayWebhook: {
            /**
             * Format: date-time
             * @description Replays deliveries stored at this time or later
             */
            since: string;
            /**
             * Format: date-time
             * @description Replays deliveries stored before this time
             */
            until?: string;
        };
        /**
         * WebhookReplay
         * @description Result of a replay
         */
        WebhookReplay: {
            /** @description Deliveries that are due now */
            replayed: number;
            /** @description True when deliveries are left: call it again */
            more: boolean;
        };
        /**
         * AuditActor
         * @description Who made the change
         */
        AuditActor: {
            /**
             * @description An API key, a user, or an operator of the service
             * @enum {string}
             */
            kind: "key" | "user" | "operator";
            /** @description ID of the key or user, or name of the operator */
            id: string;
        };
        /**
         * AuditTarget
         * @description What was changed
         */
        AuditTarget: {
            /** @description Kind of item */
            kind: string;
            /** @description ID of the item */
            id: string | null;
        };
        /**
         * AuditEntry
         * @description One change
         */
        AuditEntry: {
            /** @description ID of the entry */
            id: string;
            /**
             * Format: date-time
             * @description Time of the change
             */
            at: string;
            actor: components["schemas"]["AuditActor"];
            /**
             * @description What was done
             * @enum {string}
             */
            action: "key.created" | "key.revoked" | "organization.created" | "organization.plan-changed" | "organization.suspended" | "organization.resumed" | "organization.deleted" | "user.created" | "user.role-changed" | "user.password-changed" | "user.second-factor-changed" | "user.deleted" | "session.created" | "session.ended" | "campaign.created" | "campaign.archived" | "broadcast.created" | "broadcast.changed" | "broadcast.recipients-added" | "broadcast.deleted" | "broadcast.sent" | "broadcast.paused" | "broadcast.resumed" | "broadcast.canceled" | "email.retried" | "email.canceled" | "email.rescheduled" | "email.settled" | "contact.erased" | "contact.exported" | "domain.added" | "domain.verified" | "domain.deleted" | "tracking-domain.added" | "tracking-domain.verified" | "tracking-domain.deleted" | "provider.added" | "provider.changed" | "provider.deleted" | "suppression.added" | "suppression.imported" | "suppression.deleted" | "template.created" | "template.changed" | "template.deleted" | "webhook.created" | "webhook.changed" | "webhook.deleted" | "webhook.secret-rotated" | "webhook.tested" | "webhook.delivery-retried" | "webhook.replayed" | "links.blocked" | "links.unblocked" | "signing-key.rotated" | "encryption.key-changed" | "dead-letters.replayed" | "dead-letters.deleted" | "database.role-changed";
            target: components["schemas"]["AuditTarget"];
            /** @description X-Request-Id of the request; null for commands of operators */
            requestId: string | null;
            /** @description Details of the change, without addresses and secrets */
            details: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * AuditEntryList
         * @description A page of entries
         */
        AuditEntryList: {
            /** @description Entries, newest first */
            entries: components["schemas"]["AuditEntry"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Key = components['schemas']['Key'];
export type KeyList = components['schemas']['KeyList'];
export type FieldProblem = components['schemas']['FieldProblem'];
export type CreateKey = components['schemas']['CreateKey'];
export type NewKey = components['schemas']['NewKey'];
export type Provider = components['schemas']['Provider'];
export type ProviderList = components['schemas']['ProviderList'];
export type SmtpCredentials = components['schemas']['SmtpCredentials'];
export type SendGridCredentials = components['schemas']['SendGridCredentials'];
export type SesCredentials = components['schemas']['SesCredentials'];
export type PostmarkCredentials = components['schemas']['PostmarkCredentials'];
export type MailgunCredentials = components['schemas']['MailgunCredentials'];
export type ResendCredentials = components['schemas']['ResendCredentials'];
export type CreateProvider = components['schemas']['CreateProvider'];
export type ChangeProvider = components['schemas']['ChangeProvider'];
export type EmailsPerDayUsage = components['schemas']['EmailsPerDayUsage'];
export type StoredBytesUsage = components['schemas']['StoredBytesUsage'];
export type RenderSecondsUsage = components['schemas']['RenderSecondsUsage'];
export type EventsPerEmailUsage = components['schemas']['EventsPerEmailUsage'];
export type DomainsUsage = components['schemas']['DomainsUsage'];
export type WebhooksUsage = components['schemas']['WebhooksUsage'];
export type BudgetsUsage = components['schemas']['BudgetsUsage'];
export type Usage = components['schemas']['Usage'];
export type BroadcastProgress = components['schemas']['BroadcastProgress'];
export type BroadcastSummary = components['schemas']['BroadcastSummary'];
export type BroadcastList = components['schemas']['BroadcastList'];
export type NewAttachment = components['schemas']['NewAttachment'];
export type CreateBroadcast = components['schemas']['CreateBroadcast'];
export type PeopleStats = components['schemas']['PeopleStats'];
export type MachineClasses = components['schemas']['MachineClasses'];
export type MachineStats = components['schemas']['MachineStats'];
export type Broadcast = components['schemas']['Broadcast'];
export type ChangeBroadcast = components['schemas']['ChangeBroadcast'];
export type BroadcastRecipient = components['schemas']['BroadcastRecipient'];
export type AddRecipients = components['schemas']['AddRecipients'];
export type InvalidRecipient = components['schemas']['InvalidRecipient'];
export type UploadedRecipients = components['schemas']['UploadedRecipients'];
export type WaitingRecipient = components['schemas']['WaitingRecipient'];
export type WaitingRecipientList = components['schemas']['WaitingRecipientList'];
export type SendBroadcast = components['schemas']['SendBroadcast'];
export type Attachment = components['schemas']['Attachment'];
export type BroadcastMessage = components['schemas']['BroadcastMessage'];
export type TemplateRendering = components['schemas']['TemplateRendering'];
export type MissingVariable = components['schemas']['MissingVariable'];
export type MissingVariables = components['schemas']['MissingVariables'];
export type Campaign = components['schemas']['Campaign'];
export type CampaignList = components['schemas']['CampaignList'];
export type CreateCampaign = components['schemas']['CreateCampaign'];
export type CampaignStats = components['schemas']['CampaignStats'];
export type CampaignLink = components['schemas']['CampaignLink'];
export type RecipientStates = components['schemas']['RecipientStates'];
export type PeopleHits = components['schemas']['PeopleHits'];
export type MachineHits = components['schemas']['MachineHits'];
export type CampaignEmail = components['schemas']['CampaignEmail'];
export type CampaignDetail = components['schemas']['CampaignDetail'];
export type Archived = components['schemas']['Archived'];
export type PeopleFigures = components['schemas']['PeopleFigures'];
export type MachineFigures = components['schemas']['MachineFigures'];
export type StatsPoint = components['schemas']['StatsPoint'];
export type StatsTotals = components['schemas']['StatsTotals'];
export type Stats = components['schemas']['Stats'];
export type ContactPeople = components['schemas']['ContactPeople'];
export type Contact = components['schemas']['Contact'];
export type TimelineEvent = components['schemas']['TimelineEvent'];
export type ContactDetail = components['schemas']['ContactDetail'];
export type ErasureProgress = components['schemas']['ErasureProgress'];
export type PersonExport = components['schemas']['PersonExport'];
export type SendRequest = components['schemas']['SendRequest'];
export type TrackedLink = components['schemas']['TrackedLink'];
export type SuppressedRecipient = components['schemas']['SuppressedRecipient'];
export type SentEmail = components['schemas']['SentEmail'];
export type AcceptedEmail = components['schemas']['AcceptedEmail'];
export type BatchRequest = components['schemas']['BatchRequest'];
export type BatchResult = components['schemas']['BatchResult'];
export type BatchResponse = components['schemas']['BatchResponse'];
export type TrackRequest = components['schemas']['TrackRequest'];
export type TrackedEmail = components['schemas']['TrackedEmail'];
export type EmailSummary = components['schemas']['EmailSummary'];
export type EmailList = components['schemas']['EmailList'];
export type Recipient = components['schemas']['Recipient'];
export type ClickedLink = components['schemas']['ClickedLink'];
export type Email = components['schemas']['Email'];
export type RescheduleRequest = components['schemas']['RescheduleRequest'];
export type EmailEvent = components['schemas']['EmailEvent'];
export type EmailEventList = components['schemas']['EmailEventList'];
export type TimelineWebhook = components['schemas']['TimelineWebhook'];
export type TimelineEntry = components['schemas']['TimelineEntry'];
export type EmailTimeline = components['schemas']['EmailTimeline'];
export type CanceledEmail = components['schemas']['CanceledEmail'];
export type MappedLink = components['schemas']['MappedLink'];
export type ClickMap = components['schemas']['ClickMap'];
export type SendingRate = components['schemas']['SendingRate'];
export type ExceededRate = components['schemas']['ExceededRate'];
export type SendingLimitsBounced = components['schemas']['SendingLimitsBounced'];
export type SendingLimitsComplained = components['schemas']['SendingLimitsComplained'];
export type SendingLimits = components['schemas']['SendingLimits'];
export type ProviderState = components['schemas']['ProviderState'];
export type SendingState = components['schemas']['SendingState'];
export type DomainRecord = components['schemas']['DomainRecord'];
export type Domain = components['schemas']['Domain'];
export type DomainList = components['schemas']['DomainList'];
export type CreateDomain = components['schemas']['CreateDomain'];
export type TrackingDomain = components['schemas']['TrackingDomain'];
export type TrackingDomainList = components['schemas']['TrackingDomainList'];
export type CreateTrackingDomain = components['schemas']['CreateTrackingDomain'];
export type Suppression = components['schemas']['Suppression'];
export type SuppressionList = components['schemas']['SuppressionList'];
export type AddSuppressions = components['schemas']['AddSuppressions'];
export type SuppressionCount = components['schemas']['SuppressionCount'];
export type InvalidLine = components['schemas']['InvalidLine'];
export type ImportResult = components['schemas']['ImportResult'];
export type Template = components['schemas']['Template'];
export type TemplateList = components['schemas']['TemplateList'];
export type TemplateContent = components['schemas']['TemplateContent'];
export type TemplateDetail = components['schemas']['TemplateDetail'];
export type ChangeTemplate = components['schemas']['ChangeTemplate'];
export type RenderTemplate = components['schemas']['RenderTemplate'];
export type TemplateVersion = components['schemas']['TemplateVersion'];
export type TemplateVersionList = components['schemas']['TemplateVersionList'];
export type TemplateVersionDetail = components['schemas']['TemplateVersionDetail'];
export type TemplateDraft = components['schemas']['TemplateDraft'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookList = components['schemas']['WebhookList'];
export type CreateWebhook = components['schemas']['CreateWebhook'];
export type WebhookWithSecret = components['schemas']['WebhookWithSecret'];
export type ChangeWebhook = components['schemas']['ChangeWebhook'];
export type WebhookAttempt = components['schemas']['WebhookAttempt'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type WebhookDeliveryList = components['schemas']['WebhookDeliveryList'];
export type WebhookDeliveryDetail = components['schemas']['WebhookDeliveryDetail'];
export type ReplayWebhook = components['schemas']['ReplayWebhook'];
export type WebhookReplay = components['schemas']['WebhookReplay'];
export type AuditActor = components['schemas']['AuditActor'];
export type AuditTarget = components['schemas']['AuditTarget'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type AuditEntryList = components['schemas']['AuditEntryList'];
export type $defs = Record<string, never>;
export interface operations {
    listKeys: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the response */
                limit?: number;
                /** @description Start of the page: an opaque value from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateKey"];
            };
        };
        responses: {
            /** @description The new key. Store it: it is not shown again */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the key: the part between its underscores */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listProviders: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the response */
                limit?: number;
                /** @description Start of the page: an opaque value from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The providers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderList"];
                };
            };
        };
    };
    createProvider: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateProvider"];
            };
        };
        responses: {
            /** @description The new provider */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
        };
    };
    getProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the provider */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The provider */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
        };
    };
    deleteProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the provider */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The provider is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the provider */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeProvider"];
            };
        };
        responses: {
            /** @description The updated provider */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The budgets of the organization */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                };
            };
        };
    };
    listBroadcasts: {
        parameters: {
            query?: {
                /** @description Part of the name, ignoring case */
                search?: string;
                /** @description Maximum number of items in the response */
                limit?: number;
                /** @description Start of the page: an opaque value from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The broadcasts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastList"];
                };
            };
        };
    };
    createBroadcast: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateBroadcast"];
            };
        };
        responses: {
            /** @description The draft */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Broadcast"];
                };
            };
        };
    };
    getBroadcast: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the broadcast */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The broadcast */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Broadcast"];
                };
            };
        };
    };
    changeBroadcast: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the broadcast */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeBroadcast"];
            };
        };
        responses: {
            /** @description The draft */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Broadcast"];
                };
            };
        };
    };
    deleteBroadcast: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the broadcast */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The draft and its recipients are deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listBroadcastRecipients: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the response */
                limit?: number;
                /** @description Start of the page: an opaque value from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description ID of the broadcast */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The recipients */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WaitingRecipientList"];
                };
            };
        };
    };
    addBroadcastRecipients: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the broadcast */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddRecipients"];
            };
        };
        responses: {
            /** @description The recipients are stored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadedRecipients"];
                };
            };
        };
    };
    sendBroadcast: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the broadcast */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SendBroadcast"];
            };
        };
        responses: {
            /** @description The broadcast */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Broadcast"];
                };
            };
        };
    };
    pauseBroadcast: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the broadcast */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The broadcast */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Broadcast"];
                };
            };
        };
    };
    resumeBroadcast: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the broadcast */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The broadcast */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Broadcast"];
                };
            };
        };
    };
    cancelBroadcast: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the broadcast */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The broadcast */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Broadcast"];
                };
            };
        };
    };
    getBroadcastMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the broadcast */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The message */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastMessage"];
                };
            };
        };
    };
    previewBroadcast: {
        parameters: {
            query?: {
                /** @description Address of the recipient; without it, variables are empty */
                to?: string;
            };
            header?: never;
            path: {
                /** @description ID of the broadcast */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The message */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateRendering"];
                };
            };
        };
    };
    findMissingVariables: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the broadcast */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The variables */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MissingVariables"];
                };
            };
        };
    };
    listCampaigns: {
        parameters: {
            query?: {
                /** @description Part of the name, ignoring case */
                search?: string;
                /** @description true for archived campaigns instead of active ones */
                archived?: "true" | "false";
                /** @description Maximum number of items in the response */
                limit?: number;
                /** @description Start of the page: an opaque value from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The campaigns */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignList"];
                };
            };
        };
    };
    createCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCampaign"];
            };
        };
        responses: {
            /** @description The new campaign */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Campaign"];
                };
            };
        };
    };
    getCampaign: {
        parameters: {
            query?: {
                /** @description Start of the page of links: an opaque value from the Link header */
                linksCursor?: string;
                /** @description Maximum number of items in the response */
                limit?: number;
                /** @description Start of the page: an opaque value from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description ID of the campaign */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The campaign */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignDetail"];
                };
            };
        };
    };
    archiveCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the campaign */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The campaign is archived */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Archived"];
                };
            };
        };
    };
    getStats: {
        parameters: {
            query?: {
                /** @description Start of the range: a time or a date; by default 30 days, including the last day of the range */
                from?: string;
                /** @description End of the range, exclusive: a time or a date; by default now */
                to?: string;
                /** @description Length of each point; by default day */
                interval?: "hour" | "day" | "week" | "month";
                /** @description Only emails of this campaign: its name or ID */
                campaignId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The figures */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stats"];
                };
            };
        };
    };
    listContacts: {
        parameters: {
            query?: {
                /** @description Part of the address, ignoring case; another alphabet by whole labels of its domain */
                search?: string;
                /** @description Maximum number of items in the response */
                limit?: number;
                /** @description Start of the page: an opaque value from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contacts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contact"][];
                };
            };
        };
    };
    getContact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The address, URL-encoded; case does not matter */
                email: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contact */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactDetail"];
                };
            };
        };
    };
    eraseContact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The address, URL-encoded; case does not matter */
                email: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contact is deleted; the erasure continues in the background */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasureProgress"];
                };
            };
            /** @description Nothing about the person is stored any more */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    exportContact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The address, URL-encoded; case does not matter */
                email: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonExport"];
                };
            };
        };
    };
    sendEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendRequest"];
            };
        };
        responses: {
            /** @description The provider accepted the email */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentEmail"];
                };
            };
            /** @description Delivery of the email continues */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedEmail"];
                };
            };
        };
    };
    sendEmails: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchRequest"];
            };
        };
        responses: {
            /** @description The result for each message, in order */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchResponse"];
                };
            };
        };
    };
    listEmails: {
        parameters: {
            query?: {
                /** @description Only emails with this text in the address of a recipient or in the subject */
                search?: string;
                /** @description Only of this campaign: its name or ID */
                campaignId?: string;
                /** @description Only to this address */
                recipient?: string;
                /** @description Status of the email; tracked when another provider sends it */
                status?: "queued" | "sending" | "sent" | "failed" | "tracked" | "scheduled" | "canceled";
                /** @description Only with this tag */
                tag?: string;
                /** @description Only from this address, as it was requested or as it was used */
                from?: string;
                /** @description Only accepted at this time or later: a time, or a date in UTC */
                since?: string;
                /** @description Only accepted before this time: a time, or a date in UTC */
                until?: string;
                /** @description Only with a recipient in this state */
                state?: "pending" | "sent" | "deferred" | "failed" | "suppressed" | "canceled" | "delivered" | "bounced" | "complained";
                /** @description Maximum number of items in the response */
                limit?: number;
                /** @description Start of the page: an opaque value from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The emails */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailList"];
                };
            };
        };
    };
    trackEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TrackRequest"];
            };
        };
        responses: {
            /** @description The HTML to send */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackedEmail"];
                };
            };
        };
    };
    exportEmails: {
        parameters: {
            query?: {
                /** @description Only emails with this text in the address of a recipient or in the subject */
                search?: string;
                /** @description Only of this campaign: its name or ID */
                campaignId?: string;
                /** @description Only to this address */
                recipient?: string;
                /** @description Status of the email; tracked when another provider sends it */
                status?: "queued" | "sending" | "sent" | "failed" | "tracked" | "scheduled" | "canceled";
                /** @description Only with this tag */
                tag?: string;
                /** @description Only from this address, as it was requested or as it was used */
                from?: string;
                /** @description Only accepted at this time or later: a time, or a date in UTC */
                since?: string;
                /** @description Only accepted before this time: a time, or a date in UTC */
                until?: string;
                /** @description Only with a recipient in this state */
                state?: "pending" | "sent" | "deferred" | "failed" | "suppressed" | "canceled" | "delivered" | "bounced" | "complained";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The emails */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    getEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID or tracking ID of the email */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The email */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Email"];
                };
            };
        };
    };
    rescheduleEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID or tracking ID of the email */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RescheduleRequest"];
            };
        };
        responses: {
            /** @description The email */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Email"];
                };
            };
        };
    };
    retryEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID or tracking ID of the email */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The email, queued again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Email"];
                };
            };
        };
    };
    listEmailEvents: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the response */
                limit?: number;
                /** @description Start of the page: an opaque value from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description ID or tracking ID of the email */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailEventList"];
                };
            };
        };
    };
    getEmailTimeline: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the response */
                limit?: number;
                /** @description Start of the page: an opaque value from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description ID or tracking ID of the email */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What happened */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailTimeline"];
                };
            };
        };
    };
    previewEmail: {
        parameters: {
            query?: {
                /** @description Whether remote images load */
                images?: "true" | "false";
                /** @description What to show */
                part?: "html" | "text";
            };
            header?: never;
            path: {
                /** @description ID or tracking ID of the email */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The HTML, or the text */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                    "text/plain": string;
                };
            };
        };
    };
    cancelEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID or tracking ID of the email */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The email is not sent */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CanceledEmail"];
                };
            };
        };
    };
    getCampaignClickMap: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the campaign */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The click map */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClickMap"];
                };
            };
        };
    };
    getEmailClickMap: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID or tracking ID of the email */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The click map */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClickMap"];
                };
            };
        };
    };
    getSendingState: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendingState"];
                };
            };
        };
    };
    listDomains: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the response */
                limit?: number;
                /** @description Start of the page: an opaque value from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domains */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainList"];
                };
            };
        };
    };
    createDomain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateDomain"];
            };
        };
        responses: {
            /** @description The domain, with the records to publish */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    getDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the domain */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    deleteDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the domain */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    verifyDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the domain */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain with the result of the check */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    listTrackingDomains: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the response */
                limit?: number;
                /** @description Start of the page: an opaque value from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tracking domains */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackingDomainList"];
                };
            };
        };
    };
    createTrackingDomain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTrackingDomain"];
            };
        };
        responses: {
            /** @description The tracking domain, with the records to publish */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackingDomain"];
                };
            };
        };
    };
    getTrackingDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the tracking domain */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tracking domain */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackingDomain"];
                };
            };
        };
    };
    deleteTrackingDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the tracking domain */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tracking domain is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    verifyTrackingDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the tracking domain */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tracking domain with the result of the check */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackingDomain"];
                };
            };
        };
    };
    listSuppressions: {
        parameters: {
            query?: {
                /** @description Part of the address, ignoring case; another alphabet by whole labels of its domain */
                search?: string;
                /** @description Only entries that show this reason */
                reason?: "complaint" | "bounce" | "manual" | "unsubscribe";
                /** @description Maximum number of items in the response */
                limit?: number;
                /** @description Start of the page: an opaque value from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The suppressed addresses */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionList"];
                };
            };
        };
    };
    addSuppressions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddSuppressions"];
            };
        };
        responses: {
            /** @description The addresses are suppressed */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionCount"];
                };
            };
        };
    };
    exportSuppressions: {
        parameters: {
            query?: {
                /** @description Part of the address, ignoring case; another alphabet by whole labels of its domain */
                search?: string;
                /** @description Only entries that show this reason */
                reason?: "complaint" | "bounce" | "manual" | "unsubscribe";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries that match */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    importSuppressions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/csv": string;
            };
        };
        responses: {
            /** @description The import is complete */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportResult"];
                };
            };
        };
    };
    getSuppression: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The address, URL-encoded; case does not matter */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entry */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Suppression"];
                };
            };
        };
    };
    removeSuppression: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The address, URL-encoded; case does not matter */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The address is no longer suppressed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listTemplates: {
        parameters: {
            query?: {
                /** @description Part of the name, ignoring case */
                search?: string;
                /** @description Maximum number of items in the response */
                limit?: number;
                /** @description Start of the page: an opaque value from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The templates */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateList"];
                };
            };
        };
    };
    createTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TemplateContent"];
            };
        };
        responses: {
            /** @description The new template */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
        };
    };
    getTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the template */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The template */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateDetail"];
                };
            };
        };
    };
    changeTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the template */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeTemplate"];
            };
        };
        responses: {
            /** @description The template with its new version */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
        };
    };
    deleteTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the template */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The template is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    renderTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the template */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenderTemplate"];
            };
        };
        responses: {
            /** @description The message */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateRendering"];
                };
            };
        };
    };
    listTemplateVersions: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the response */
                limit?: number;
                /** @description Start of the page: an opaque value from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description ID of the template */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The versions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateVersionList"];
                };
            };
        };
    };
    getTemplateVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the template */
                id: string;
                /** @description Number of the version, from 1 */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The version */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateVersionDetail"];
                };
            };
        };
    };
    renderTemplateDraft: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TemplateDraft"];
            };
        };
        responses: {
            /** @description The message */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateRendering"];
                };
            };
        };
    };
    previewTemplate: {
        parameters: {
            query?: {
                /** @description Values of the variables: a JSON object */
                variables?: string;
                /** @description Whether remote images load */
                images?: "true" | "false";
            };
            header?: never;
            path: {
                /** @description ID of the template */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The HTML */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the response */
                limit?: number;
                /** @description Start of the page: an opaque value from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhooks */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            /** @description The new webhook. Store its secret: it is not shown again */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeWebhook"];
            };
        };
        responses: {
            /** @description The updated webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook with its new secret */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the response */
                limit?: number;
                /** @description Start of the page: an opaque value from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description ID of the webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deliveries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryList"];
                };
            };
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the webhook */
                id: string;
                /** @description ID of the delivery: the webhook-id of every attempt */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryDetail"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, which is attempted at once */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    retryWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the webhook */
                id: string;
                /** @description ID of the delivery: the webhook-id of every attempt */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, which is attempted at once */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    replayWebhookDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayWebhook"];
            };
        };
        responses: {
            /** @description The deliveries are due now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                /** @description Only by actors of this kind, or by one: `key`, `key:ID`, `user:ID`, `operator` */
                actor?: string;
                /** @description Only this action */
                action?: "key.created" | "key.revoked" | "organization.created" | "organization.plan-changed" | "organization.suspended" | "organization.resumed" | "organization.deleted" | "user.created" | "user.role-changed" | "user.password-changed" | "user.second-factor-changed" | "user.deleted" | "session.created" | "session.ended" | "campaign.created" | "campaign.archived" | "broadcast.created" | "broadcast.changed" | "broadcast.recipients-added" | "broadcast.deleted" | "broadcast.sent" | "broadcast.paused" | "broadcast.resumed" | "broadcast.canceled" | "email.retried" | "email.canceled" | "email.rescheduled" | "email.settled" | "contact.erased" | "contact.exported" | "domain.added" | "domain.verified" | "domain.deleted" | "tracking-domain.added" | "tracking-domain.verified" | "tracking-domain.deleted" | "provider.added" | "provider.changed" | "provider.deleted" | "suppression.added" | "suppression.imported" | "suppression.deleted" | "template.created" | "template.changed" | "template.deleted" | "webhook.created" | "webhook.changed" | "webhook.deleted" | "webhook.secret-rotated" | "webhook.tested" | "webhook.delivery-retried" | "webhook.replayed" | "links.blocked" | "links.unblocked" | "signing-key.rotated" | "encryption.key-changed" | "dead-letters.replayed" | "dead-letters.deleted" | "database.role-changed";
                /** @description Only items of this kind, or one: `webhook`, `webhook:ID`. The kinds are key, organization, user, session, campaign, broadcast, email, failed-emails, contact, domain, tracking-domain, provider, suppression-list, template, webhook, host, signing-key, encryption-key, dead-letters, database-login */
                target?: string;
                /** @description Only at or after this time: ISO 8601 with a time zone, or a date in UTC */
                since?: string;
                /** @description Only before this time: ISO 8601 with a time zone, or a date in UTC */
                until?: string;
                /** @description Maximum number of items in the response */
                limit?: number;
                /** @description Start of the page: an opaque value from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntryList"];
                };
            };
        };
    };
    exportAuditEntries: {
        parameters: {
            query?: {
                /** @description Only by actors of this kind, or by one: `key`, `key:ID`, `user:ID`, `operator` */
                actor?: string;
                /** @description Only this action */
                action?: "key.created" | "key.revoked" | "organization.created" | "organization.plan-changed" | "organization.suspended" | "organization.resumed" | "organization.deleted" | "user.created" | "user.role-changed" | "user.password-changed" | "user.second-factor-changed" | "user.deleted" | "session.created" | "session.ended" | "campaign.created" | "campaign.archived" | "broadcast.created" | "broadcast.changed" | "broadcast.recipients-added" | "broadcast.deleted" | "broadcast.sent" | "broadcast.paused" | "broadcast.resumed" | "broadcast.canceled" | "email.retried" | "email.canceled" | "email.rescheduled" | "email.settled" | "contact.erased" | "contact.exported" | "domain.added" | "domain.verified" | "domain.deleted" | "tracking-domain.added" | "tracking-domain.verified" | "tracking-domain.deleted" | "provider.added" | "provider.changed" | "provider.deleted" | "suppression.added" | "suppression.imported" | "suppression.deleted" | "template.created" | "template.changed" | "template.deleted" | "webhook.created" | "webhook.changed" | "webhook.deleted" | "webhook.secret-rotated" | "webhook.tested" | "webhook.delivery-retried" | "webhook.replayed" | "links.blocked" | "links.unblocked" | "signing-key.rotated" | "encryption.key-changed" | "dead-letters.replayed" | "dead-letters.deleted" | "database.role-changed";
                /** @description Only items of this kind, or one: `webhook`, `webhook:ID`. The kinds are key, organization, user, session, campaign, broadcast, email, failed-emails, contact, domain, tracking-domain, provider, suppression-list, template, webhook, host, signing-key, encryption-key, dead-letters, database-login */
                target?: string;
                /** @description Only at or after this time: ISO 8601 with a time zone, or a date in UTC */
                since?: string;
                /** @description Only before this time: ISO 8601 with a time zone, or a date in UTC */
                until?: string;
                /** @description Format of the file; csv by default */
                format?: "csv" | "ndjson";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file, of the requested format */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": string;
                };
            };
        };
    };
    followChanges: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events, as they happen */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
}
