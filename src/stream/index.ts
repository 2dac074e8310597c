/** stream: tier 1, any text stream to AG-UI. Imports nothing that needs a package. */
export {};
