/** Why an algorithm of an SSH server is weak, in Chinese. */
import type { Words } from '../../../shared/i18n/words.ts';
import type { weak as english } from '../en/weak.ts';

export const weak: Words<typeof english> = {
  serverHostKey: '使用 SHA-1 签名，可被伪造：其他机器可能冒充此主机',
  kex: '密钥交换使用 SHA-1 或过短的素数：记录连接的人以后可能解密',
  cipher: '使用 CBC 模式加密：部分内容可被还原；3DES 对长连接已不安全',
  hmac: '仅用 SHA-1 防止传输中被篡改',
  userSignature: '服务器仅接受用 SHA-1 签名的用户 RSA 密钥，该签名可被伪造',
};
