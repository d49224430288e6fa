PASSWORD = r"input[type='password']"
FORGOT_LINK = "a.forgot"
UNUSED = "#unused"

MENU = {
    "profile": "#menu-profile",
    "logout": "#menu-logout",
}


class Login:
    ERROR = '''.login-error'''
