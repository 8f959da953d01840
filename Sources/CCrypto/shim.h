// OpenSSL's library of ciphers and hashes (openssl.org/docs/man3.0/man3).

#ifndef CANVAS_CCRYPTO_SHIM_H
#define CANVAS_CCRYPTO_SHIM_H

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>

#endif
